#include "CPeers.h"
#include <pthread.h>
#include <stdlib.h>
#include <uv.h>

typedef struct node {
  struct node *next;
  cpeers_body run;
  void *context;
  long number;
} node;

struct cpeers_mailbox {
  pthread_mutex_t mutex;
  node *first, **end;
  /* A drain is due, so no thread needs to send. Becomes false only in a drain that finds nothing. */
  int awake;
  int closed;
  uv_loop_t loop;
  uv_async_t async;
  pthread_t thread;
};

/* As many as our loop runs in an iteration, so that other handles are served as often. */
enum { budget = 512 };

static void drain(uv_async_t *async) {
  cpeers_mailbox *mailbox = async->data;
  long done = 0;
  for (;;) {
    pthread_mutex_lock(&mailbox->mutex);
    node *next = mailbox->first;
    mailbox->first = NULL;
    mailbox->end = &mailbox->first;
    if (!next) mailbox->awake = 0;
    int closed = mailbox->closed;
    pthread_mutex_unlock(&mailbox->mutex);
    if (!next) {
      if (closed) uv_close((uv_handle_t *)async, NULL);
      return;
    }
    while (next) {
      node *one = next;
      next = one->next;
      one->run(one->context, one->number);
      free(one);
      done++;
    }
    if (done >= budget) {
      uv_async_send(async);
      return;
    }
  }
}

static void *run_loop(void *argument) {
  cpeers_mailbox *mailbox = argument;
  uv_run(&mailbox->loop, UV_RUN_DEFAULT);
  uv_loop_close(&mailbox->loop);
  return NULL;
}

cpeers_mailbox *cpeers_mailbox_start(void) {
  cpeers_mailbox *mailbox = calloc(1, sizeof *mailbox);
  if (!mailbox) abort();
  pthread_mutex_init(&mailbox->mutex, NULL);
  mailbox->end = &mailbox->first;
  if (uv_loop_init(&mailbox->loop) || uv_async_init(&mailbox->loop, &mailbox->async, drain)) abort();
  mailbox->async.data = mailbox;
  if (pthread_create(&mailbox->thread, NULL, run_loop, mailbox)) abort();
  return mailbox;
}

void cpeers_mailbox_post(cpeers_mailbox *mailbox, cpeers_body run, void *context, long number) {
  node *one = malloc(sizeof *one);
  if (!one) abort();
  *one = (node){NULL, run, context, number};
  pthread_mutex_lock(&mailbox->mutex);
  *mailbox->end = one;
  mailbox->end = &one->next;
  int wakes = !mailbox->awake;
  mailbox->awake = 1;
  pthread_mutex_unlock(&mailbox->mutex);
  if (wakes) uv_async_send(&mailbox->async);
}

void cpeers_mailbox_stop(cpeers_mailbox *mailbox) {
  pthread_mutex_lock(&mailbox->mutex);
  mailbox->closed = 1;
  pthread_mutex_unlock(&mailbox->mutex);
  uv_async_send(&mailbox->async);
  pthread_join(mailbox->thread, NULL);
  pthread_mutex_destroy(&mailbox->mutex);
  free(mailbox);
}
