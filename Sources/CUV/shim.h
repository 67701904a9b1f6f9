/* libuv as Swift sees it. What C says with a variadic call or a cast is spelled here, where a C
 * compiler still checks the argument. */
#pragma once
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <uv.h>

/* Names the calling thread: at most 15 bytes of name count. */
static inline void cuv_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* A descriptor that is readable once eight bytes were written into it, and until they are read. */
static inline int cuv_make_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
