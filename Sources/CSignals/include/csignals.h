/* Counts the signals that are delivered to the process, and wakes the loops that watch for them.
 *
 * It has a handler of its own. libuv's keeps neither a count nor the disposition from before. */
#pragma once
#include <stdint.h>

/* One watch of one signal. Opaque. */
struct csignals_watch;

/* Makes the handler write to an eventfd at each delivery of a signal, from now on. Any thread. The first
 * watch of a signal installs the handler, and keeps the disposition from before. Returns NULL, and errno
 * says why, if the system refuses or the signal is not one of 1 to 64: then nothing has changed. */
struct csignals_watch *csignals_watch(int signal, int eventfd);

/* Ends a watch. The eventfd may be closed when this returns. Any thread. The last watch of a signal
 * restores the disposition from before the first, unless other code has changed it since. */
void csignals_unwatch(struct csignals_watch *watch);

/* How often the handler of a signal has run in this process. */
uint64_t csignals_deliveries(int signal);

/* For pthread_atfork(). No thread installs or restores a handler while the process forks. In the child,
 * where no code will end the watches, the dispositions from before are restored. */
void csignals_before_fork(void);
void csignals_after_fork_in_parent(void);
void csignals_after_fork_in_child(void);
