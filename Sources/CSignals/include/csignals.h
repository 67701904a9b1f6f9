/* Counts what signals are delivered to the process, and wakes those who asked for it.
 *
 * A handler of our own, and not libuv's: that keeps neither count nor the disposition of before. */
#pragma once
#include <stdint.h>

/* Opaque: a wish to be woken for one signal. */
struct csignals_watch;

/* Lets an eventfd be written to whenever the signal comes, from now on. The first watch of a signal
 * installs the handler, and keeps the disposition of before. NULL, and errno says why, if the system
 * refuses: then nothing has changed. */
struct csignals_watch *csignals_watch(int signal, int eventfd);

/* Ends a watch. The eventfd may be closed when this returns. The last one of a signal puts the
 * disposition back that was there before the first, unless somebody else has changed it since. */
void csignals_unwatch(struct csignals_watch *watch);

/* How often the handler of a signal has run in this process. */
uint64_t csignals_deliveries(int signal);

/* For pthread_atfork(): nobody installs or restores a handler while the process forks, and in the
 * child, where nobody will end the watches, the dispositions of before are put back. */
void csignals_before_fork(void);
void csignals_after_fork_in_parent(void);
void csignals_after_fork_in_child(void);
