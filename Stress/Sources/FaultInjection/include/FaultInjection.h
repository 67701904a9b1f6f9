/* Faults between a program and its C library, for a library that is preloaded (LD_PRELOAD).
 *
 * The environment says which, at the start of the program:
 *
 *   FAULT_INJECTION="seed=7,eintr=20,spurious=20,delay=10,full=5,jump=1,threads=refuse"
 *
 *   seed      of each thread's random numbers (the threads' schedule is not reproduced)
 *   eintr     epoll_wait, epoll_pwait, and read and write of an eventfd return EINTR
 *   spurious  pthread_cond_wait and its timed forms return at once, with 0
 *   delay     a thread pauses for 1 us to 2 ms, with the locks that it holds: after a wait on a
 *             condition, before uv_queue_work; and, a tenth as often, before and after
 *             pthread_mutex_lock
 *   full      an eventfd is filled before a write to it, so that the write gets EAGAIN
 *   jump      the monotonic clock goes forward by 1 ms to 2 s; at most once in 10 ms
 *   threads   `refuse`: pthread_create returns EAGAIN; a number n: only the n-th call from here does
 *
 * Numbers are chances in a thousand. A fault that is not named does not happen. POSIX and Linux
 * allow all of these faults, so a program that does not bear them is wrong. */
#pragma once

/* Replaces all faults by those of `text`, from now on; "" stands for none. Not for two threads at
 * once. */
void fault_injection_configure(const char *text);

/* How often a fault has happened in this process. `name` is one of the names above, but not `seed`.
 * -1 for another name. */
long fault_injection_count(const char *name);
