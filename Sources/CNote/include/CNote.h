/* A few bytes of text that outlive the process if it dies. They are in a file that is mapped into memory, so
 * writing them makes no system call. Swift could write there only with unsafe pointers.
 *
 * One thread at a time uses a note. */
#pragma once

#include <stddef.h>

/* How many bytes a note holds, with a final zero. */
enum { cnote_capacity = 16384 };

struct cnote_bytes;

/* A note. It is copied as a number, and ends with cnote_close. */
typedef struct {
  struct cnote_bytes *bytes;
} cnote;

/* Makes the file at path, or takes the one that is there, and makes its text empty. The file stays when the note is
 * closed. Returns a note without bytes if the system refuses; nothing is left then. */
cnote cnote_open(const char *path);

/* Whether the note has bytes. Only such a note may be written or closed. */
static inline int cnote_is_open(cnote note) { return note.bytes != NULL; }

/* Writes one byte of the text. Does nothing at a position that the note does not have. */
static inline void cnote_put(cnote note, size_t position, unsigned char byte) {
  if (position < cnote_capacity) ((volatile unsigned char *)note.bytes)[position] = byte;
}

/* Unmaps the file. */
void cnote_close(cnote note);
