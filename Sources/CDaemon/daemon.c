#include "CDaemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int cdaemon_send(const char *address, const char *text) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  size_t length = strlen(address);
  if (length < 2 || length > sizeof to.sun_path) return EINVAL;
  memcpy(to.sun_path, address, length);
  /* The length counts no final zero: an abstract name has none, and a path does not need one. */
  if (address[0] == '@') to.sun_path[0] = 0;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  ssize_t sent;
  do {
    sent = sendto(
        descriptor, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
  } while (sent < 0 && errno == EINTR);
  int error = sent < 0 ? errno : 0;
  close(descriptor);
  return error;
}

int cdaemon_close_on_exec(int descriptor) {
  int flags = fcntl(descriptor, F_GETFD);
  if (flags < 0 || fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) < 0) return errno;
  return 0;
}

/* Programs that this process starts inherit SIG_IGN, but not a handler. */
static void nothing(int signal) { (void)signal; }

int cdaemon_survive_broken_pipes(void) {
  struct sigaction before;
  if (sigaction(SIGPIPE, NULL, &before) < 0) return errno;
  if (before.sa_flags & SA_SIGINFO || before.sa_handler != SIG_DFL) return 0;
  struct sigaction ours = {.sa_handler = nothing, .sa_flags = SA_RESTART};
  sigemptyset(&ours.sa_mask);
  return sigaction(SIGPIPE, &ours, NULL) < 0 ? errno : 0;
}
