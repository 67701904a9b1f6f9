#include "CPeers.h"
#include <pthread.h>
#include <stdlib.h>

typedef struct node {
  struct node *next;
  cpeers_body run;
  void *context;
  long number;
} node;

struct cpeers_pool {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  node *first, **end;
  int sleeping, closed, thread_count;
  pthread_t *threads;
};

static void *work(void *argument) {
  cpeers_pool *pool = argument;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (!pool->first && !pool->closed) {
      pool->sleeping++;
      pthread_cond_wait(&pool->condition, &pool->mutex);
      pool->sleeping--;
    }
    node *one = pool->first;
    if (!one) break;
    pool->first = one->next;
    if (!pool->first) pool->end = &pool->first;
    pthread_mutex_unlock(&pool->mutex);
    one->run(one->context, one->number);
    free(one);
    pthread_mutex_lock(&pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

cpeers_pool *cpeers_pool_start(int thread_count) {
  cpeers_pool *pool = calloc(1, sizeof *pool);
  if (!pool) abort();
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->condition, NULL);
  pool->end = &pool->first;
  pool->thread_count = thread_count;
  pool->threads = calloc((size_t)thread_count, sizeof *pool->threads);
  if (!pool->threads) abort();
  for (int index = 0; index < thread_count; index++)
    if (pthread_create(&pool->threads[index], NULL, work, pool)) abort();
  return pool;
}

void cpeers_pool_submit(cpeers_pool *pool, cpeers_body run, void *context, long number) {
  node *one = malloc(sizeof *one);
  if (!one) abort();
  *one = (node){NULL, run, context, number};
  pthread_mutex_lock(&pool->mutex);
  *pool->end = one;
  pool->end = &one->next;
  int wakes = pool->sleeping > 0;
  pthread_mutex_unlock(&pool->mutex);
  if (wakes) pthread_cond_signal(&pool->condition);
}

void cpeers_pool_stop(cpeers_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->closed = 1;
  pthread_mutex_unlock(&pool->mutex);
  pthread_cond_broadcast(&pool->condition);
  for (int index = 0; index < pool->thread_count; index++) pthread_join(pool->threads[index], NULL);
  pthread_mutex_destroy(&pool->mutex);
  pthread_cond_destroy(&pool->condition);
  free(pool->threads);
  free(pool);
}
