/* A ring of events for each thread: its thread writes to it without a lock, and any thread copies it at any time. Here and
 * not in Swift for the thread-local pointer and the clock. */
#pragma once

#include <stdint.h>
#include <time.h>

/* An event: four words, of which the ring knows nothing. */
typedef struct {
  uint64_t words[4];
} crings_event;

typedef struct crings_ring {
  /* How many events were ever written. Only the thread of the ring changes it. */
  uint64_t count;
  /* How many events it holds: a power of two. */
  uint64_t capacity;
  crings_event *events;
  /* The kernel's number of the thread; negative once it has ended, and the ring waits for another one. Under the lock
   * of the rings, as are the next three. */
  int thread;
  /* The number of the first event of the thread, and the ticks at which it got the ring and at which it ended. */
  uint64_t first, since, ended;
  /* The name of the thread, once it has ended. */
  char name[16];
  struct crings_ring *next;
} crings_ring;

extern __thread crings_ring *crings_mine;
/* Whether crings_ticks() counts the ticks of the processor, and not nanoseconds. Set by crings_prepare(). */
extern int crings_counts_ticks;

/* The ring of the calling thread, or null if it has none yet. */
static inline crings_ring *crings_current(void) { return crings_mine; }

/* Ticks of a clock that runs at one rate, the same on all processors. Some nanoseconds. */
static inline uint64_t crings_ticks(void) {
#if defined(__x86_64__)
  if (__builtin_expect(crings_counts_ticks, 1)) return __builtin_ia32_rdtsc();
#endif
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Writes an event to the ring of the calling thread.
 *
 * Each store is a release, and each load of a reader an acquire. So a reader that has got a word of event number n has
 * seen a count of n at least, and its second look at the count shows which events may be torn. On x86-64 these are
 * plain moves. */
static inline void crings_write(crings_ring *ring, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  uint64_t count = ring->count;
  crings_event *event = &ring->events[count & (ring->capacity - 1)];
  __atomic_store_n(&event->words[0], a, __ATOMIC_RELEASE);
  __atomic_store_n(&event->words[1], b, __ATOMIC_RELEASE);
  __atomic_store_n(&event->words[2], c, __ATOMIC_RELEASE);
  __atomic_store_n(&event->words[3], d, __ATOMIC_RELEASE);
  __atomic_store_n(&ring->count, count + 1, __ATOMIC_RELEASE);
}

/* Makes the process ready. A ring will hold `capacity` events, a power of two. Only the first call counts. */
void crings_prepare(uint64_t capacity);

/* Gives the calling thread a ring: one of a thread that has ended, or a new one. Null if there are as many as there may
 * be, or no memory. Call it only if crings_current() is null. */
crings_ring *crings_make(void);

/* The rings, the newest first: follow `next`. They are never freed. */
crings_ring *crings_all(void);

/* What a copy of a ring is of. */
typedef struct {
  int thread;
  char name[16];
  /* Whether the thread has not ended. */
  int is_alive;
  /* The number of the first event of the copy; the first of the thread has the number `start`. */
  uint64_t first, start;
  /* The ticks at which the thread got the ring. */
  uint64_t since;
} crings_copy_of;

/* Copies what a ring holds of its last thread, the oldest event first, and returns how many events. `into` has room for
 * `capacity` events. Any thread. */
uint64_t crings_copy(crings_ring *ring, crings_event *into, crings_copy_of *of);
