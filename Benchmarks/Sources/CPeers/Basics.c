#include "CPeers.h"
#include <pthread.h>
#include <stdlib.h>
#include <uv.h>

cpeers_counter *cpeers_counter_make(void) {
  cpeers_counter *counter = aligned_alloc(128, sizeof(cpeers_counter));
  if (!counter) abort();
  counter->value = 0;
  return counter;
}

void cpeers_counter_free(cpeers_counter *counter) { free(counter); }

long cpeers_burn(long rounds) {
  unsigned long state = (unsigned long)rounds;
  for (long round = 0; round < rounds; round++) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    __asm__ volatile("" : "+r"(state));
  }
  return (long)state;
}

typedef struct {
  pthread_barrier_t *start;
  void (*body)(int, void *);
  void *context;
  int index;
} member;

static void *begin(void *argument) {
  member *self = argument;
  pthread_barrier_wait(self->start);
  self->body(self->index, self->context);
  return NULL;
}

double cpeers_crew(int thread_count, void (*body)(int, void *), void *context) {
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, (unsigned)thread_count + 1);
  pthread_t threads[thread_count];
  member members[thread_count];
  for (int index = 0; index < thread_count; index++) {
    members[index] = (member){&start, body, context, index};
    if (pthread_create(&threads[index], NULL, begin, &members[index]) != 0) abort();
  }
  int64_t began = cpeers_nanoseconds();
  pthread_barrier_wait(&start);
  for (int index = 0; index < thread_count; index++) pthread_join(threads[index], NULL);
  int64_t ended = cpeers_nanoseconds();
  pthread_barrier_destroy(&start);
  return (double)(ended - began);
}

const char *cpeers_libuv_version(void) { return uv_version_string(); }
