#include "CPeers.h"
#include <stdlib.h>
#include <uv.h>

typedef struct {
  long left;
} turn_state;

static void on_idle(uv_idle_t *idle) {
  turn_state *state = idle->data;
  if (--state->left == 0) uv_close((uv_handle_t *)idle, NULL);
}

static void never(uv_async_t *async) { (void)async; }

double cpeers_idle_turn(long turns) {
  uv_loop_t loop;
  uv_idle_t idle;
  uv_async_t async;
  turn_state state = {turns};
  if (uv_loop_init(&loop) || uv_idle_init(&loop, &idle)) abort();
  /* A loop that other threads can wake polls one descriptor. An empty loop would not poll at all. */
  if (uv_async_init(&loop, &async, never)) abort();
  uv_unref((uv_handle_t *)&async);
  idle.data = &state;
  uv_idle_start(&idle, on_idle);
  int64_t began = cpeers_nanoseconds();
  uv_run(&loop, UV_RUN_DEFAULT);
  int64_t ended = cpeers_nanoseconds();
  uv_close((uv_handle_t *)&async, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  return (double)(ended - began) / (double)turns;
}

static void on_timer(uv_timer_t *timer) { (void)timer; }

static void free_timer(uv_handle_t *handle) { free(handle); }

/* A timer of the task's own: made, started, and freed by libuv's callback when it has been closed. */
static uv_timer_t *schedule(uv_loop_t *loop, long number) {
  uv_timer_t *timer = malloc(sizeof *timer);
  if (!timer || uv_timer_init(loop, timer)) abort();
  /* Spread over an hour, in no order, as deadlines are. */
  uint64_t delay = 3600000 + (uint64_t)((number * 2654435761UL) % 3600000);
  if (uv_timer_start(timer, on_timer, delay, 0)) abort();
  return timer;
}

double cpeers_timers_schedule_and_cancel(long count) {
  uv_loop_t loop;
  if (uv_loop_init(&loop)) abort();
  uv_timer_t **timers = calloc((size_t)count, sizeof *timers);
  int64_t began = cpeers_nanoseconds();
  for (long number = 0; number < count; number++) timers[number] = schedule(&loop, number);
  for (long number = 0; number < count; number++)
    uv_close((uv_handle_t *)timers[number], free_timer);
  uv_run(&loop, UV_RUN_DEFAULT);
  int64_t ended = cpeers_nanoseconds();
  free(timers);
  uv_loop_close(&loop);
  return (double)(ended - began) / (double)count;
}

double cpeers_timers_churn(long live, long steps) {
  uv_loop_t loop;
  if (uv_loop_init(&loop)) abort();
  uv_timer_t **timers = calloc((size_t)live, sizeof *timers);
  for (long number = 0; number < live; number++) timers[number] = schedule(&loop, number);
  int64_t began = cpeers_nanoseconds();
  for (long step = 0; step < steps; step++) {
    long index = step % live;
    uv_close((uv_handle_t *)timers[index], free_timer);
    timers[index] = schedule(&loop, live + step);
    /* libuv frees closed timers once an iteration: here after each 512. */
    if (step % 512 == 511) uv_run(&loop, UV_RUN_NOWAIT);
  }
  int64_t ended = cpeers_nanoseconds();
  for (long number = 0; number < live; number++)
    uv_close((uv_handle_t *)timers[number], free_timer);
  uv_run(&loop, UV_RUN_DEFAULT);
  free(timers);
  uv_loop_close(&loop);
  return (double)(ended - began) / (double)steps;
}
