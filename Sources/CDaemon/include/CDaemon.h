/* System calls of a daemon that Swift could only make with unsafe pointers. */
#pragma once

/* Sends text in one datagram to a Unix socket. The address is a path, or '@' and a name of the abstract
 * namespace. Does not wait. Any thread. Returns zero, or an error number. */
int cdaemon_send(const char *address, const char *text);

/* Closes the descriptor in programs that this process starts. Returns zero, or an error number. */
int cdaemon_close_on_exec(int descriptor);

/* Makes a write to a peer that has gone fail with EPIPE instead of ending the process, by a handler for SIGPIPE that
 * does nothing. Changes nothing if the process already handles or ignores SIGPIPE. Programs that it starts have the
 * default disposition. Returns zero, or an error number. */
int cdaemon_survive_broken_pipes(void);
