/* What the kernel knows of a thread, and Swift cannot ask. */
#pragma once

#include <stddef.h>

#include "CStacks.h"

/* The kernel's number of the calling thread: that of `top -H`, and of /proc/self/task. */
int cthreads_id(void);

/* Writes the name of a thread of this process into `name`, ended by a zero, and returns its length. A
 * name has at most 15 bytes; `size` must be 16 at least. Zero, and an empty name, if there is no such
 * thread, or no /proc. */
size_t cthreads_name(int id, char *name, size_t size);
