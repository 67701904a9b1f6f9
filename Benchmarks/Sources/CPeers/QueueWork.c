#include "CPeers.h"
#include <stdlib.h>
#include <uv.h>

typedef struct {
  uv_loop_t loop;
  long left;
  cpeers_counter *counter;
} run_state;

static void on_worker(uv_work_t *request) {
  cpeers_counter_advance(((run_state *)request->data)->counter);
}

/* One request a task, as in a C program: made, queued, and freed when it is done. */
static void queue_one(run_state *state);

static void on_done(uv_work_t *request, int status) {
  run_state *state = request->data;
  free(request);
  if (state->left > 0) queue_one(state);
  (void)status;
}

static void queue_one(run_state *state) {
  state->left--;
  uv_work_t *request = malloc(sizeof *request);
  if (!request) abort();
  request->data = state;
  if (uv_queue_work(&state->loop, request, on_worker, on_done)) abort();
}

double cpeers_queue_work(long tasks, long window) {
  run_state state = {.left = tasks, .counter = cpeers_counter_make()};
  if (uv_loop_init(&state.loop)) abort();
  int64_t began = cpeers_nanoseconds();
  for (long number = 0; number < window && state.left > 0; number++) queue_one(&state);
  uv_run(&state.loop, UV_RUN_DEFAULT);
  int64_t ended = cpeers_nanoseconds();
  if (cpeers_counter_read(state.counter) != tasks) abort();
  cpeers_counter_free(state.counter);
  uv_loop_close(&state.loop);
  return (double)(ended - began) / (double)tasks;
}
