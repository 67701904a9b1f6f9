#include "CRings.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The most rings. A process with more threads that submit at the same time records only some. */
#define MOST_RINGS 256

__thread crings_ring *crings_mine;
/* The thread is ending, and has given its ring back. */
static __thread int has_left;
int crings_counts_ticks;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock, except that a reader follows `all` without it: it only grows. */
static crings_ring *all;
static int made;
static uint64_t capacity_of_new;
static pthread_key_t key;

#if defined(__x86_64__)
/* The counter of the processor runs at one rate in every state of sleep, and the kernel trusts it too. */
static int counter_is_steady(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d >> 8 & 1)) return 0;
  char text[16] = "";
  int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  return count >= 3 && strncmp(text, "tsc", 3) == 0;
}
#else
static int counter_is_steady(void) { return 0; }
#endif

/* The thread ends. Its events stay until another thread gets the ring. */
static void leave(void *value) {
  crings_ring *ring = value;
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  crings_mine = 0;
  has_left = 1;
  pthread_mutex_lock(&lock);
  memcpy(ring->name, name, sizeof name);
  ring->thread = -ring->thread;
  ring->ended = crings_ticks();
  pthread_mutex_unlock(&lock);
}

void crings_prepare(uint64_t capacity) {
  pthread_mutex_lock(&lock);
  if (!capacity_of_new && pthread_key_create(&key, leave) == 0) {
    crings_counts_ticks = counter_is_steady();
    capacity_of_new = capacity;
  }
  pthread_mutex_unlock(&lock);
}

/* The ring whose thread ended the longest ago, or a new one. Under the lock. */
static crings_ring *take(void) {
  crings_ring *free_one = 0;
  for (crings_ring *ring = all; ring; ring = ring->next)
    if (ring->thread < 0 && (!free_one || ring->ended < free_one->ended)) free_one = ring;
  /* A new one as long as there are few: what threads that have ended did stays longer. */
  if (free_one && made >= MOST_RINGS / 4) return free_one;
  if (made == MOST_RINGS || !capacity_of_new) return free_one;
  crings_ring *ring = aligned_alloc(64, (sizeof *ring + 63) & ~(size_t)63);
  if (!ring) return free_one;
  memset(ring, 0, sizeof *ring);
  size_t size = capacity_of_new * sizeof(crings_event);
  void *events = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (events == MAP_FAILED) {
    free(ring);
    return free_one;
  }
  ring->events = events;
  ring->capacity = capacity_of_new;
  ring->next = all;
  __atomic_store_n(&all, ring, __ATOMIC_RELEASE);
  made++;
  return ring;
}

crings_ring *crings_make(void) {
  /* No destructor would give it back. */
  if (has_left) return 0;
  pthread_mutex_lock(&lock);
  crings_ring *ring = take();
  if (ring && pthread_setspecific(key, ring)) {
    /* A new ring that no thread gets waits for another one. */
    if (ring->thread == 0) ring->thread = -1;
    ring = 0;
  }
  if (ring) {
    ring->thread = (int)syscall(SYS_gettid);
    ring->since = crings_ticks();
    ring->first = ring->count;
    ring->name[0] = 0;
  }
  pthread_mutex_unlock(&lock);
  crings_mine = ring;
  return ring;
}

crings_ring *crings_all(void) { return __atomic_load_n(&all, __ATOMIC_ACQUIRE); }

uint64_t crings_copy(crings_ring *ring, crings_event *into, crings_copy_of *of) {
  pthread_mutex_lock(&lock);
  of->thread = ring->thread;
  of->start = ring->first;
  of->since = ring->since;
  memcpy(of->name, ring->name, sizeof of->name);
  uint64_t before = __atomic_load_n(&ring->count, __ATOMIC_ACQUIRE);
  pthread_mutex_unlock(&lock);
  uint64_t held = before - of->start < ring->capacity ? before - of->start : ring->capacity;
  uint64_t first = before - held;
  for (uint64_t i = 0; i < held; i++) {
    const crings_event *event = &ring->events[(first + i) & (ring->capacity - 1)];
    for (int k = 0; k < 4; k++)
      into[i].words[k] = __atomic_load_n(&event->words[k], __ATOMIC_ACQUIRE);
  }
  /* Event number `after` may be half written. It lies where event number after - capacity was. */
  uint64_t after = __atomic_load_n(&ring->count, __ATOMIC_ACQUIRE);
  uint64_t oldest = after + 1 > ring->capacity ? after + 1 - ring->capacity : 0;
  uint64_t torn = oldest > first ? oldest - first : 0;
  if (torn > held) torn = held;
  memmove(into, into + torn, (size_t)(held - torn) * sizeof *into);
  of->first = first + torn;
  of->is_alive = of->thread > 0;
  if (!of->is_alive) of->thread = -of->thread;
  return held - torn;
}
