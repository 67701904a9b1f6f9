/* libuv as Swift sees it. What C says with a variadic call or a cast is spelled here, where a C
 * compiler still checks the argument. */
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

/* Names the calling thread: at most 15 bytes of name count. */
static inline void cuv_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* A descriptor that is readable once eight bytes were written into it, and until they are read. */
static inline int cuv_make_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/* What a descriptor of a ready set is watched for, or is ready for: the bits of Swift's Readiness. */
enum { CUV_READABLE = 1, CUV_WRITABLE = 2, CUV_DISCONNECTED = 4 };

/* Descriptors that a loop watches by one of its own, which nobody can close behind its back: libuv
 * aborts if one of those that it polls is gone. */
static inline int cuv_make_ready_set(void) { return epoll_create1(EPOLL_CLOEXEC); }

/* Lets the set be ready once, as soon as the descriptor is. Token names it in what is taken. `again`
 * if it was in the set before. Zero, or an error number. */
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

static inline void cuv_ready_set_remove(int set, int descriptor) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &event);
}

/* Whether the calling thread is the process's first. */
static inline int cuv_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

/* How a loop that is not Dispatch's own serves DispatchQueue.main. Exported for Foundation's, and in no
 * header: a descriptor that is readable when something waits, and a call that runs it all. The caller
 * reads the descriptor itself, and first. */
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *unused);

struct cuv_ready {
  uint64_t token;
  int readiness;
};

/* What has become ready, at most count of them, without waiting. They are not in wait any more. What
 * is broken is ready for everything: trying says what is wrong with it. */
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
