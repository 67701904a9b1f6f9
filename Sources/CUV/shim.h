/* libuv as Swift sees it. Calls that need varargs or a cast are written here, where a C compiler
 * checks their arguments. */
#pragma once
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uv.h>

/* Names the calling thread. The kernel keeps the first 15 bytes of the name. */
static inline void cuv_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* Makes a descriptor that is readable after eight bytes were written to it, until they are read.
 * Negative, and errno says why, if the system refuses. */
static inline int cuv_make_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/* What a descriptor of a ready set is watched for, or is ready for: the bits of Swift's Readiness. */
enum { CUV_READABLE = 1, CUV_WRITABLE = 2, CUV_DISCONNECTED = 4 };

/* Makes an epoll instance, the ready set. The loop polls the set's own descriptor, which no other code
 * closes; the set watches the descriptors of the program. libuv aborts if a descriptor that it polls
 * itself was closed. Negative, and errno says why, if the system refuses. */
static inline int cuv_make_ready_set(void) { return epoll_create1(EPOLL_CLOEXEC); }

/* Watches a descriptor until it is ready once. The token names it in what cuv_ready_set_take() returns.
 * `again` says that it was in the set before. Returns zero, or an error number. */
static inline int cuv_ready_set_wait(
    int set, int descriptor, int interest, uint64_t token, int again) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = EPOLLONESHOT;
  if (interest & CUV_READABLE) event.events |= EPOLLIN;
  if (interest & CUV_WRITABLE) event.events |= EPOLLOUT;
  if (interest & CUV_DISCONNECTED) event.events |= EPOLLRDHUP;
  event.data.u64 = token;
  return epoll_ctl(set, again ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

/* Stops watching a descriptor. An error is ignored: it is not in the set then. */
static inline void cuv_ready_set_remove(int set, int descriptor) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &event);
}

/* Whether the calling thread is the main thread of the process. */
static inline int cuv_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

/* How a loop other than Dispatch's own serves DispatchQueue.main. Dispatch exports both for Foundation,
 * and declares them in no header. The first returns a descriptor that is readable while blocks wait;
 * the second runs them all. The caller has to read the descriptor before that. */
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *unused);

struct cuv_ready {
  uint64_t token;
  int readiness;
};

/* Takes descriptors that have become ready, at most count of them and at most 64, without waiting. The
 * set does not watch them any more. A broken descriptor is ready for everything: the next call on it
 * says what is wrong. Returns how many were taken. */
static inline int cuv_ready_set_take(int set, struct cuv_ready *ready, int count) {
  struct epoll_event events[64];
  int found = epoll_wait(set, events, count < 64 ? count : 64, 0);
  for (int index = 0; index < found; index++) {
    uint32_t bits = events[index].events;
    int readiness = 0;
    if (bits & EPOLLIN) readiness |= CUV_READABLE;
    if (bits & EPOLLOUT) readiness |= CUV_WRITABLE;
    if (bits & EPOLLRDHUP) readiness |= CUV_DISCONNECTED;
    if (bits & (EPOLLERR | EPOLLHUP)) readiness = CUV_READABLE | CUV_WRITABLE | CUV_DISCONNECTED;
    ready[index].token = events[index].data.u64;
    ready[index].readiness = readiness;
  }
  return found < 0 ? 0 : found;
}
