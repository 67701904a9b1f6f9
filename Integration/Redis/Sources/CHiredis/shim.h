/* hiredis and its adapter to libuv, as Swift sees them, and what the adapter lacks. */
#pragma once
#include <string.h>
#include <uv.h>

/* The adapter of hiredis before 1.0 drops what libuv reports as an error of the descriptor, and libuv
 * does not report it again: a connection that is refused or reset would wait for ever. So another
 * callback stands before the adapter's, wherever the adapter starts to poll. */
static inline int chiredis_poll_start(uv_poll_t *handle, int events, uv_poll_cb callback);
#define uv_poll_start chiredis_poll_start
#include <hiredis/adapters/libuv.h>
#undef uv_poll_start

/* An error is everything that hiredis waits for: trying says what is wrong. */
static void chiredis_poll(uv_poll_t *handle, int status, int events) {
  redisLibuvEvents *adapter = (redisLibuvEvents *)handle->data;
  redisLibuvPoll(handle, 0, status == 0 ? events : adapter->events);
}

static inline int chiredis_poll_start(uv_poll_t *handle, int events, uv_poll_cb callback) {
  (void)callback;
  return uv_poll_start(handle, events, chiredis_poll);
}

/* hiredis calls this once for every context, however it ends, and the disconnect callback only for
 * those that were connected. So that is called from here, for all, and finds the context as it was. */
static void chiredis_cleanup(void *privdata) {
  redisLibuvEvents *adapter = (redisLibuvEvents *)privdata;
  redisAsyncContext *context = adapter->context;
  redisDisconnectCallback *ended = context->onDisconnect;
  context->onDisconnect = NULL;
  redisLibuvCleanup(adapter);
  ended(context, context->err == 0 ? REDIS_OK : REDIS_ERR);
  /* Who was told is not to be told more: newer versions answer outstanding commands after this. */
  context->data = NULL;
}

/* Without a connect callback hiredis does not look whether it is connected until something is sent. */
static void chiredis_connected(const redisAsyncContext *context, int status) {
  (void)context;
  (void)status;
}

/* Puts a context that was just made on a loop. ended is called once, as the last for the context,
 * which has an open handle on the loop until then. Data is its. If it fails, the context is as before
 * and has only to be freed. */
static inline int chiredis_attach(
    redisAsyncContext *context, void *loop, void *data, redisDisconnectCallback *ended) {
  if (redisLibuvAttach(context, (uv_loop_t *)loop) != REDIS_OK) {
    /* The adapter leaves hooks that would be called without what they need. */
    memset(&context->ev, 0, sizeof context->ev);
    return REDIS_ERR;
  }
  context->ev.cleanup = chiredis_cleanup;
  context->data = data;
  redisAsyncSetDisconnectCallback(context, ended);
  return redisAsyncSetConnectCallback(context, chiredis_connected);
}
