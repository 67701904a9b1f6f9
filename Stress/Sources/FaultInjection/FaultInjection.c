#include "FaultInjection.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A sanitizer's runtime calls functions of this file before it is ready for instrumented code. */
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)

enum fault { EINTR_, SPURIOUS, DELAY, FULL, JUMP, THREADS, FAULTS };
static const char *const names[FAULTS] = {"eintr", "spurious", "delay", "full", "jump", "threads"};

static uint32_t chances[FAULTS];
static long counts[FAULTS];
static uint64_t seed = 1;
/* Which call of pthread_create is refused: 0 for none, -1 for all. */
static long refused_thread;
static long threads_asked_for;
static uint64_t threads_seen;
/* How far the monotonic clock is ahead, and when it last jumped, in nanoseconds. */
static int64_t ahead;
static int64_t last_jump;

#define load(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define store(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)
#define add(place, value) __atomic_add_fetch(&(place), (value), __ATOMIC_RELAXED)

/* --- Chance --------------------------------------------------------------------------------- */

/* This library is loaded at the start, so its thread-local storage needs no call. */
static __thread uint64_t state __attribute__((tls_model("initial-exec")));

static uint64_t next_random(void) {
  if (state == 0) {
    /* splitmix64 of the seed and the thread's number. Threads are numbered in the order of their
     * first call. */
    uint64_t mixed = load(seed) + add(threads_seen, 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    state = (mixed ^ (mixed >> 31)) | 1;
  }
  /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1du;
}

static bool strikes_one_in(enum fault fault, uint64_t divisor) {
  uint32_t chance = load(chances[fault]);
  if (chance == 0 || next_random() % (1000 * divisor) >= chance) return false;
  add(counts[fault], 1);
  return true;
}

static bool strikes(enum fault fault) { return strikes_one_in(fault, 1); }

/* A number from 1 to 2 to the power of `bits`; each order of magnitude is equally likely. */
static int64_t some_size(unsigned bits) {
  int64_t order = (int64_t)1 << next_random() % bits;
  return order + (int64_t)(next_random() % (uint64_t)order);
}

static void pause_thread(void) {
  int saved = errno;
  struct timespec time = {0, some_size(11) * 1000};
  /* A system call and no function, since another preloaded library may have replaced the function. */
  syscall(SYS_nanosleep, &time, NULL);
  errno = saved;
}

/* --- What is behind ------------------------------------------------------------------------- */

static void *behind(void **place, const char *name, const char *version) {
  void *found = load(*place);
  if (found) return found;
  /* Without the version, the linker finds an old pthread_cond_wait that works differently. */
  if (version) found = dlvsym(RTLD_NEXT, name, version);
  if (!found) found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  store(*place, found);
  return found;
}

#define BEHIND(name, version)                            \
  static void *place;                                    \
  __typeof__(&name) real = behind(&place, #name, version)

/* --- The setting ---------------------------------------------------------------------------- */

void fault_injection_configure(const char *text) {
  for (int fault = 0; fault < FAULTS; fault++) store(chances[fault], 0);
  store(refused_thread, 0);
  store(threads_asked_for, 0);
  while (text && *text) {
    size_t length = strcspn(text, ",");
    const char *equals = memchr(text, '=', length);
    if (!equals) abort();
    size_t name_length = (size_t)(equals - text);
    const char *value = equals + 1;
    bool known = false;
    if (name_length == 4 && memcmp(text, "seed", 4) == 0) {
      store(seed, strtoull(value, NULL, 10));
      known = true;
    }
    for (int fault = 0; fault < FAULTS; fault++) {
      if (strlen(names[fault]) != name_length || memcmp(text, names[fault], name_length) != 0) {
        continue;
      }
      known = true;
      if (fault != THREADS) {
        store(chances[fault], (uint32_t)strtoul(value, NULL, 10));
      } else if (strncmp(value, "refuse", 6) == 0) {
        store(refused_thread, -1);
      } else {
        store(refused_thread, strtol(value, NULL, 10));
      }
    }
    /* If a mistyped fault were ignored, the program would seem to bear it. */
    if (!known) abort();
    text += length;
    if (*text == ',') text++;
  }
}

__attribute__((constructor)) static void configure_at_start(void) {
  fault_injection_configure(getenv("FAULT_INJECTION"));
}

long fault_injection_count(const char *name) {
  for (int fault = 0; fault < FAULTS; fault++) {
    if (strcmp(names[fault], name) == 0) return load(counts[fault]);
  }
  return -1;
}

/* --- Time ----------------------------------------------------------------------------------- */

static int64_t nanoseconds(const struct timespec *time) {
  return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static struct timespec timespec_of(int64_t nanoseconds) {
  return (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
}

/* The time of the real clock. */
static int64_t real_now(clockid_t clock) {
  BEHIND(clock_gettime, NULL);
  struct timespec time;
  real(clock, &time);
  return nanoseconds(&time);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  BEHIND(clock_gettime, NULL);
  int status = real(clock, time);
  if (status != 0 || (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE)) return status;
  if (load(chances[JUMP]) != 0 && next_random() % 1000 < load(chances[JUMP])) {
    int64_t now = real_now(CLOCK_MONOTONIC);
    int64_t last = load(last_jump);
    if (now - last > 10000000 &&
        __atomic_compare_exchange_n(
            &last_jump, &last, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      add(ahead, some_size(11) * 1000000);
      add(counts[JUMP], 1);
    }
  }
  int64_t offset = load(ahead);
  if (offset != 0) *time = timespec_of(nanoseconds(time) + offset);
  return 0;
}

/* The end of a wait: converted from our monotonic clock to the real one. A far future stays as it
 * is. */
static struct timespec real_deadline(const struct timespec *deadline) {
  int64_t offset = load(ahead);
  if (deadline->tv_sec > INT64_MAX / 2000000000) return *deadline;
  int64_t end = nanoseconds(deadline) - offset;
  return timespec_of(end < 0 ? 0 : end);
}

/* Waits until `deadline` of our clock, or for one step, because our clock may jump during the wait.
 * The end of a step is a spurious wake for the caller, which must look again: a jump itself wakes no
 * thread. */
static int wait_until(
    int (*wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *),
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  struct timespec end = real_deadline(deadline);
  struct timespec step = end;
  if (load(chances[JUMP]) != 0) {
    int64_t soon = real_now(CLOCK_MONOTONIC) + 5000000;
    if (end.tv_sec > INT64_MAX / 2000000000 || nanoseconds(&end) > soon) step = timespec_of(soon);
  }
  int status = wait(condition, mutex, CLOCK_MONOTONIC, &step);
  if (status != ETIMEDOUT) return status;
  end = real_deadline(deadline);
  bool is_over = end.tv_sec < INT64_MAX / 2000000000 &&
                 nanoseconds(&end) <= real_now(CLOCK_MONOTONIC);
  return is_over ? ETIMEDOUT : 0;
}

/* --- Conditions and locks -------------------------------------------------------------------- */

static int after_wait(int status) {
  if (strikes(DELAY)) pause_thread();
  return status;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  BEHIND(pthread_cond_wait, "GLIBC_2.3.2");
  return strikes(SPURIOUS) ? 0 : after_wait(real(condition, mutex));
}

static int timed_wait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
    const struct timespec *deadline) {
  (void)clock;
  BEHIND(pthread_cond_timedwait, "GLIBC_2.3.2");
  return real(condition, mutex, deadline);
}

int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  if (strikes(SPURIOUS)) return 0;
  /* A condition does not tell which clock it uses. The readings of the two clocks are half a century
   * apart. */
  bool is_monotonic = deadline->tv_sec < real_now(CLOCK_REALTIME) / 1000000000 / 2 ||
                      deadline->tv_sec > INT64_MAX / 2000000000;
  if (!is_monotonic) {
    return after_wait(timed_wait(condition, mutex, CLOCK_REALTIME, deadline));
  }
  return after_wait(wait_until(timed_wait, condition, mutex, deadline));
}

static int clock_wait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
    const struct timespec *deadline) {
  BEHIND(pthread_cond_clockwait, NULL);
  return real(condition, mutex, clock, deadline);
}

int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
    const struct timespec *deadline) {
  if (strikes(SPURIOUS)) return 0;
  if (clock != CLOCK_MONOTONIC) return after_wait(clock_wait(condition, mutex, clock, deadline));
  return after_wait(wait_until(clock_wait, condition, mutex, deadline));
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  BEHIND(pthread_mutex_lock, NULL);
  if (load(chances[DELAY]) == 0) return real(mutex);
  if (strikes_one_in(DELAY, 10)) pause_thread();
  int status = real(mutex);
  if (strikes_one_in(DELAY, 10)) pause_thread();
  return status;
}

/* Replaces libuv's function, if the program has libuv. */
int uv_queue_work(void *loop, void *request, void *work, void *after) {
  BEHIND(uv_queue_work, NULL);
  if (strikes(DELAY)) pause_thread();
  return real(loop, request, work, after);
}

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
  BEHIND(pthread_create, "GLIBC_2.34");
  long refused = load(refused_thread);
  if (refused != 0 && (refused == -1 || add(threads_asked_for, 1) == refused)) {
    add(counts[THREADS], 1);
    return EAGAIN;
  }
  return real(thread, attributes, body, context);
}

/* --- Descriptors ------------------------------------------------------------------------------ */

enum { MOST_DESCRIPTORS = 65536 };
/* Which descriptors are eventfds: 1, or 3 for an eventfd that never blocks. */
static unsigned char kinds[MOST_DESCRIPTORS];

static unsigned kind(int descriptor) {
  return descriptor >= 0 && descriptor < MOST_DESCRIPTORS ? load(kinds[descriptor]) : 0;
}

int eventfd(unsigned count, int flags) {
  BEHIND(eventfd, NULL);
  int descriptor = real(count, flags);
  if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) {
    store(kinds[descriptor], flags & EFD_NONBLOCK ? 3 : 1);
  }
  return descriptor;
}

int close(int descriptor) {
  BEHIND(close, NULL);
  if (kind(descriptor) != 0) store(kinds[descriptor], 0);
  return real(descriptor);
}

ssize_t read(int descriptor, void *buffer, size_t length) {
  BEHIND(read, NULL);
  if (kind(descriptor) != 0 && strikes(EINTR_)) {
    errno = EINTR;
    return -1;
  }
  return real(descriptor, buffer, length);
}

ssize_t write(int descriptor, const void *buffer, size_t length) {
  BEHIND(write, NULL);
  unsigned is = kind(descriptor);
  if (is != 0 && strikes(EINTR_)) {
    errno = EINTR;
    return -1;
  }
  if (is == 3 && load(chances[FULL]) != 0 && next_random() % 1000 < load(chances[FULL])) {
    /* The eventfd is readable then, as after any write, and has no room for the write that follows. */
    uint64_t most = UINT64_MAX - 1;
    if (syscall(SYS_write, descriptor, &most, sizeof most) == sizeof most) add(counts[FULL], 1);
  }
  return real(descriptor, buffer, length);
}

static int interrupted(void) {
  errno = EINTR;
  return -1;
}

/* Waits for `timeout` milliseconds of our clock. It waits in steps, because our clock may jump
 * during the wait. */
#define WAIT_IN_STEPS(...)                                                         \
  do {                                                                             \
    if (timeout <= 0 || load(chances[JUMP]) == 0) return real(__VA_ARGS__);        \
    int64_t end = real_now(CLOCK_MONOTONIC) + load(ahead) + timeout * 1000000LL;   \
    while (true) {                                                                 \
      int64_t left = end - real_now(CLOCK_MONOTONIC) - load(ahead);                \
      timeout = left <= 0 ? 0 : left > 5000000 ? 5 : (int)(left / 1000000) + 1;    \
      int ready = real(__VA_ARGS__);                                               \
      if (ready != 0 || left <= 0) return ready;                                   \
    }                                                                              \
  } while (0)

int epoll_wait(int poll, struct epoll_event *events, int most, int timeout) {
  BEHIND(epoll_wait, NULL);
  if (strikes(EINTR_)) return interrupted();
  WAIT_IN_STEPS(poll, events, most, timeout);
}

int epoll_pwait(
    int poll, struct epoll_event *events, int most, int timeout, const sigset_t *mask) {
  BEHIND(epoll_pwait, NULL);
  if (strikes(EINTR_)) return interrupted();
  WAIT_IN_STEPS(poll, events, most, timeout, mask);
}

#pragma clang attribute pop
