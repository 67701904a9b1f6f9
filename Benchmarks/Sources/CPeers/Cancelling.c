#include "CPeers.h"

#include <pthread.h>
#include <stdlib.h>

/* The least that a C program has to do: the task stands in a list under a mutex, and is taken out.
 * Its handle keeps it, as the handles of the others do, and its body has captured nothing. */
struct task {
  struct task *before, *behind;
  void (*body)(void);
};

static void nothing(void) {}

double cpeers_cancel_queued(long count, const uint32_t *order) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  struct task head = {.before = &head, .behind = &head};
  struct task **tasks = calloc((size_t)count, sizeof *tasks);
  if (!tasks) abort();
  for (long number = 0; number < count; number++) {
    struct task *task = malloc(sizeof *task);
    if (!task) abort();
    task->body = nothing;
    task->before = head.before;
    task->behind = &head;
    task->before->behind = task;
    head.before = task;
    tasks[number] = task;
  }
  int64_t began = cpeers_nanoseconds();
  for (long number = 0; number < count; number++) {
    struct task *task = tasks[order[number]];
    pthread_mutex_lock(&lock);
    task->before->behind = task->behind;
    task->behind->before = task->before;
    task->body = NULL;
    pthread_mutex_unlock(&lock);
  }
  int64_t ended = cpeers_nanoseconds();
  for (long number = 0; number < count; number++) free(tasks[number]);
  free(tasks);
  return (double)(ended - began) / (double)count;
}
