/* What a C program would do where a Swift program uses a dispatcher, and what only C can ask of
 * libuv. Every task is a node from malloc, as a closure's context is, and is freed when it has run. */
#pragma once
#include <stdint.h>
#include <time.h>

/* How many bodies have run. It is alone on its cache lines, so that counters do not disturb each
 * other. Only the functions below touch it, all of them atomically; Swift does not import _Atomic. */
typedef struct cpeers_counter {
  long value;
  char padding[120];
} cpeers_counter;

cpeers_counter *cpeers_counter_make(void);
void cpeers_counter_free(cpeers_counter *counter);

static inline void cpeers_counter_advance(cpeers_counter *counter) {
  __atomic_fetch_add(&counter->value, 1, __ATOMIC_RELEASE);
}

static inline long cpeers_counter_read(cpeers_counter *counter) {
  return __atomic_load_n(&counter->value, __ATOMIC_ACQUIRE);
}

static inline int64_t cpeers_nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Work of so many rounds, about a nanosecond each, that no compiler removes. */
long cpeers_burn(long rounds);

/* Lets `thread_count` threads begin `body(index, context)` together. Returns the nanoseconds from
 * then until the last has ended. */
double cpeers_crew(int thread_count, void (*body)(int index, void *context), void *context);

typedef void (*cpeers_body)(void *context, long number);

/* A mailbox over uv_async_send: a list under a mutex, drained by a loop on a thread of its own. */
typedef struct cpeers_mailbox cpeers_mailbox;
cpeers_mailbox *cpeers_mailbox_start(void);
void cpeers_mailbox_post(cpeers_mailbox *mailbox, cpeers_body run, void *context, long number);
void cpeers_mailbox_stop(cpeers_mailbox *mailbox);

/* `thread_count` threads that take from a list under a mutex, and sleep on a condition. */
typedef struct cpeers_pool cpeers_pool;
cpeers_pool *cpeers_pool_start(int thread_count);
void cpeers_pool_submit(cpeers_pool *pool, cpeers_body run, void *context, long number);
void cpeers_pool_stop(cpeers_pool *pool);

/* Nanoseconds a task, of `tasks` calls of uv_queue_work with `window` of them in flight. */
double cpeers_queue_work(long tasks, long window);

/* Nanoseconds an iteration of a loop that has an idle handle, and polls. */
double cpeers_idle_turn(long turns);

/* Nanoseconds a timer: `count` are started with uv_timer_start, far apart, and then all are stopped. */
double cpeers_timers_schedule_and_cancel(long count);
/* Nanoseconds a step: `live` timers are running, and each step stops one of them and starts another. */
double cpeers_timers_churn(long live, long steps);

/* Nanoseconds to cancel one of `count` waiting tasks, in the order that `order` gives. */
double cpeers_cancel_queued(long count, const uint32_t *order);

/* Nanoseconds that each of `count` calls of uv_fs_stat("/") takes on a loop of its own, one at a
 * time, `gap` nanoseconds apart. */
void cpeers_stat(long count, int64_t gap, double *nanoseconds);
/* Nanoseconds that one uv_fs_stat("/") takes behind `tasks` requests of uv_queue_work that take a
 * millisecond each. */
double cpeers_stat_behind_queue_work(long tasks);

const char *cpeers_libuv_version(void);

/* Bytes that any code of the process has allocated and not freed. */
long cpeers_allocated_bytes(void);

/* Runs a program to its end, with its output into `output`. Returns the nanoseconds from its start
 * until it was gone, or -1 if it could not be run or failed. */
double cpeers_spawn(const char *path, char *const arguments[], int output);

/* How often threads of this process other than the calling one were switched, for whatever reason. */
long cpeers_context_switches(void);

/* Gives up the right to lower a thread's niceness, for this thread and those that it starts.
 * Dispatch lowers the niceness of its threads down to -4 where it may, and no other subject here
 * does. */
void cpeers_give_up_niceness(void);
