/* Faults between a program and its C library, for a library that is preloaded (LD_PRELOAD).
 *
 * The environment says which, at the start of the program:
 *
 *   FAULT_INJECTION="seed=7,eintr=20,spurious=20,delay=10,full=5,jump=1,threads=refuse"
 *
 *   seed      of each thread's random numbers (the threads' schedule is not reproduced)
 *   eintr     EINTR from epoll_wait, epoll_pwait, and from read and write of an eventfd
 *   spurious  pthread_cond_wait and its timed forms return at once, with 0
 *   delay     1 us to 2 ms, with what locks are held: after a wait on a condition, before
 *             uv_queue_work; and, a tenth as often, before and after pthread_mutex_lock
 *   full      an eventfd is filled before a write to it, which so gets EAGAIN
 *   jump      the monotonic clock goes forward by 1 ms to 2 s; at most once in 10 ms
 *   threads   `refuse`: pthread_create returns EAGAIN; a number n: only the n-th call from here does
 *
 * Numbers are chances in a thousand. What is not named does not happen. Everything is what POSIX and
 * Linux allow, so a program that does not bear it is wrong. */
#pragma once

/* Replaces all faults by those of `text`, from now on; none for "". Not for two threads at once. */
void fault_injection_configure(const char *text);

/* How often a fault has happened in this process: one of the names above, `seed` aside. -1 for
 * another name. */
long fault_injection_count(const char *name);
