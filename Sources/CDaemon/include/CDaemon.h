/* What a daemon needs of the system, without a pointer that Swift would have to see. */
#pragma once

/* Sends text in one datagram to a Unix socket: a path, or a name of the abstract namespace behind
 * an '@'. Never waits. Zero, or an error number. */
int cdaemon_send(const char *address, const char *text);

/* Keeps programs that this process starts from inheriting the descriptor. Zero, or an error number. */
int cdaemon_close_on_exec(int descriptor);

/* Lets a write to a peer that has gone fail with EPIPE, and not end the process, unless the process has said what
 * SIGPIPE is to do. Programs that it starts have the default. Zero, or an error number. */
int cdaemon_survive_broken_pipes(void);
