#include "csignals.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNT = 65, NOBODY = -1 };

/* The handler may read the list at any time, so an entry is never freed. A later watch uses it again:
 * there are as many entries as there were watches of the signal at one time. */
struct csignals_watch {
  _Atomic int eventfd;
  int signal;
  struct csignals_watch *next;
};

static struct csignals_watch *_Atomic watches[COUNT];
static _Atomic uint64_t deliveries[COUNT];
/* How many threads are in the handler. */
static _Atomic int inside;

/* Changed under this lock: how many watches a signal has, and its disposition before the first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int watched[COUNT];
static struct sigaction before[COUNT];

static void handle(int signal, siginfo_t *info, void *context) {
  (void)info;
  (void)context;
  int saved = errno;
  atomic_fetch_add(&inside, 1);
  atomic_fetch_add(&deliveries[signal], 1);
  for (struct csignals_watch *watch = atomic_load(&watches[signal]); watch; watch = watch->next) {
    int eventfd = atomic_load(&watch->eventfd);
    uint64_t one = 1;
    /* Not write(), which is a cancellation point: a thread that is cancelled there would never leave the
     * handler. The write fails if the eventfd is full; then its loop is being woken already. */
    if (eventfd != NOBODY && syscall(SYS_write, eventfd, &one, sizeof one) < 0) continue;
  }
  atomic_fetch_sub(&inside, 1);
  errno = saved;
}

static int install(int signal) {
  struct sigaction ours;
  memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = handle;
  /* SA_ONSTACK: a thread with a small stack may have set up another stack for handlers. */
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  /* While the signal of a fault is blocked, the kernel ends the process at the fault and calls no handler:
   * Swift would print no backtrace. */
  static const int faults[] = {SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
  for (unsigned long index = 0; index < sizeof faults / sizeof *faults; index++)
    sigdelset(&ours.sa_mask, faults[index]);
  return sigaction(signal, &ours, &before[signal]);
}

static void restore(int signal) {
  struct sigaction now;
  if (sigaction(signal, NULL, &now) != 0) return;
  if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != handle) return;
  if (!(before[signal].sa_flags & SA_SIGINFO) && before[signal].sa_handler == SIG_DFL) {
    /* A pending delivery, which no thread has taken yet, would end the process now. To ignore the signal
     * for a moment drops it. */
    struct sigaction nothing;
    memset(&nothing, 0, sizeof nothing);
    nothing.sa_handler = SIG_IGN;
    sigaction(signal, &nothing, NULL);
  }
  sigaction(signal, &before[signal], NULL);
}

struct csignals_watch *csignals_watch(int signal, int eventfd) {
  if (signal < 1 || signal >= COUNT) {
    errno = EINVAL;
    return NULL;
  }
  pthread_mutex_lock(&lock);
  struct csignals_watch *watch = atomic_load(&watches[signal]);
  while (watch && atomic_load(&watch->eventfd) != NOBODY) watch = watch->next;
  if (watch) {
    atomic_store(&watch->eventfd, eventfd);
  } else {
    watch = malloc(sizeof *watch);
    if (watch) {
      atomic_init(&watch->eventfd, eventfd);
      watch->signal = signal;
      watch->next = atomic_load(&watches[signal]);
      atomic_store(&watches[signal], watch);
    }
  }
  if (watch && watched[signal] == 0 && install(signal) != 0) {
    atomic_store(&watch->eventfd, NOBODY);
    watch = NULL;
  }
  if (watch) watched[signal] += 1;
  int saved = errno;
  pthread_mutex_unlock(&lock);
  errno = saved;
  return watch;
}

void csignals_unwatch(struct csignals_watch *watch) {
  pthread_mutex_lock(&lock);
  if (--watched[watch->signal] == 0) restore(watch->signal);
  atomic_store(&watch->eventfd, NOBODY);
  pthread_mutex_unlock(&lock);
  /* A thread that has read the eventfd before is still in the handler. It needs no lock to leave it. */
  while (atomic_load(&inside) > 0) sched_yield();
}

uint64_t csignals_deliveries(int signal) {
  return signal < 1 || signal >= COUNT ? 0 : atomic_load(&deliveries[signal]);
}

void csignals_before_fork(void) { pthread_mutex_lock(&lock); }

void csignals_after_fork_in_parent(void) { pthread_mutex_unlock(&lock); }

void csignals_after_fork_in_child(void) {
  for (int signal = 1; signal < COUNT; signal++)
    if (watched[signal] > 0) restore(signal);
  pthread_mutex_unlock(&lock);
}
