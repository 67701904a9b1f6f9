#include "CThreads.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int cthreads_id(void) { return (int)syscall(SYS_gettid); }

size_t cthreads_name(int id, char *name, size_t size) {
  char path[64];
  name[0] = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", id);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, name, size - 1);
  close(file);
  if (count < 0) count = 0;
  /* The kernel ends the name by a line feed. */
  if (count > 0 && name[count - 1] == '\n') count--;
  name[count] = 0;
  return (size_t)count;
}
