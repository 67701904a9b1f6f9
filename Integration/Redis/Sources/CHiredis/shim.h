/* hiredis and its adapter to libuv, as Swift sees them, with what the adapter lacks. */
#pragma once
#include <string.h>
#include <uv.h>

/* The adapter of hiredis before 1.0 drops what libuv reports as an error of the descriptor, and
 * libuv does not report it again: a connection that is refused or reset would wait for ever. So
 * wherever the adapter starts to poll, libuv calls another callback first, and that calls the
 * adapter's. */
static inline int chiredis_poll_start(uv_poll_t *handle, int events, uv_poll_cb callback);
#define uv_poll_start chiredis_poll_start
#include <hiredis/adapters/libuv.h>
#undef uv_poll_start

/* In case of an error, reports every event that hiredis waits for: its next read or write then finds
 * out what is wrong. */
static void chiredis_poll(uv_poll_t *handle, int status, int events) {
  redisLibuvEvents *adapter = (redisLibuvEvents *)handle->data;
  redisLibuvPoll(handle, 0, status == 0 ? events : adapter->events);
}

static inline int chiredis_poll_start(uv_poll_t *handle, int events, uv_poll_cb callback) {
  (void)callback;
  return uv_poll_start(handle, events, chiredis_poll);
}

/* hiredis calls this once for every context, however the context ends, and the disconnect callback
 * only for contexts that were connected. So this function calls that callback itself, for all
 * contexts, before hiredis changes the context. */
static void chiredis_cleanup(void *privdata) {
  redisLibuvEvents *adapter = (redisLibuvEvents *)privdata;
  redisAsyncContext *context = adapter->context;
  redisDisconnectCallback *ended = context->onDisconnect;
  context->onDisconnect = NULL;
  redisLibuvCleanup(adapter);
  ended(context, context->err == 0 ? REDIS_OK : REDIS_ERR);
  /* The owner was told of the end and must not be told more: newer versions answer outstanding
   * commands after this. */
  context->data = NULL;
}

/* Without a connect callback hiredis does not check whether it is connected until it sends
 * something. */
static void chiredis_connected(const redisAsyncContext *context, int status) {
  (void)context;
  (void)status;
}

/* Puts a new context on a loop. `data` is kept in the context. `ended` is called once, as the last
 * callback of the context, which has an open handle on the loop until then. If this function fails,
 * the context is as before, and the caller has only to free it. */
static inline int chiredis_attach(
    redisAsyncContext *context, void *loop, void *data, redisDisconnectCallback *ended) {
  if (redisLibuvAttach(context, (uv_loop_t *)loop) != REDIS_OK) {
    /* The adapter leaves hooks, which would be called without the data that they need. */
    memset(&context->ev, 0, sizeof context->ev);
    return REDIS_ERR;
  }
  context->ev.cleanup = chiredis_cleanup;
  context->data = data;
  redisAsyncSetDisconnectCallback(context, ended);
  return redisAsyncSetConnectCallback(context, chiredis_connected);
}
