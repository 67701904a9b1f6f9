#include "CNote.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

cnote cnote_open(const char *path) {
  cnote note = {NULL};
  /* Never truncated to nothing: another process may have mapped it, and truncation would end that process. */
  int descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return note;
  void *memory = MAP_FAILED;
  if (ftruncate(descriptor, cnote_capacity) == 0)
    memory = mmap(NULL, cnote_capacity, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (memory == MAP_FAILED) {
    unlink(path);
    return note;
  }
  note.bytes = memory;
  cnote_put(note, 0, 0);
  return note;
}

void cnote_close(cnote note) { munmap(note.bytes, cnote_capacity); }
