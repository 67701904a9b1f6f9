/* Preloaded into a program, it counts what the program asks of its C library and of libuv. No file
 * includes this header: the program finds `callcounter_read` with dlsym. */
#pragma once

enum {
  CALLCOUNTER_ALLOCATIONS = 0,
  /* Allocated and not freed, in bytes. */
  CALLCOUNTER_HELD = 1,
  /* Writes of eight bytes to an eventfd. */
  CALLCOUNTER_WAKES = 2,
  /* Calls of uv_queue_work. */
  CALLCOUNTER_LEASES = 3,
};

long callcounter_read(int what);
