/* Where a thread of this process is: its registers and the top of its stack, copied for a reader that unwinds them
 * later. In C, since a signal handler copies them. x86-64; elsewhere nothing can be copied. */
#pragma once

#include <stdint.h>

/* The most bytes of a stack that are copied. */
#define CSTACKS_BYTES (64 * 1024)
/* Registers are numbered as DWARF numbers them: rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15 rip. */
#define CSTACKS_REGISTERS 17

typedef struct {
  uint64_t registers[CSTACKS_REGISTERS];
  /* A bit for each register that is known. */
  uint32_t known;
  /* How many bytes of the stack were copied, and from which address on. They begin below the stack pointer, in the
   * 128 bytes that a function may use there. */
  uint32_t count;
  uint64_t from;
} cstacks_sample;

enum {
  /* A sample was taken. */
  CSTACKS_TAKEN = 0,
  /* No thread has this number any more. */
  CSTACKS_GONE = 1,
  /* The thread blocks the signal, or did not answer it in time: it gets no time on a processor, or is ending. */
  CSTACKS_SILENT = 2,
  /* Other code has installed a handler for the signal. */
  CSTACKS_REPLACED = 3,
  /* The system does not say what the thread does: it hides /proc/self/mem or /proc/self/task/N/syscall, or has no
   * descriptors left. */
  CSTACKS_HIDDEN = 4,
  /* The thread went on while it was looked at, several times in a row. */
  CSTACKS_RESTLESS = 5,
  /* Not on this processor. */
  CSTACKS_UNSUPPORTED = 6,
};

/* Makes the process ready: opens /proc/self/mem and installs the handler for `signal`, once for each signal.
 * Deliveries that no sample has asked for go to the handler that was there before. Zero, or an errno. Any thread. */
int cstacks_prepare(int signal);

/* Takes a sample of a thread. One at a time for the whole process; a second caller waits.
 *
 * The kernel is asked first. If the thread sleeps in the kernel, the sample comes from there, and knows the stack pointer
 * and the program counter alone; no signal is sent, since it would cut short what the thread waits for. A thread that
 * runs gets the signal, and has `milliseconds` to answer. `stack` has room for CSTACKS_BYTES. */
int cstacks_take(int thread, int signal, int milliseconds, cstacks_sample *into, uint8_t *stack);

/* A part of this process that a file was loaded as. The ranges are readable as long as the process lives: the file is
 * never unloaded. */
typedef struct {
  /* What its addresses are counted from. */
  uint64_t base;
  /* The part with code. */
  uint64_t text, text_end;
  /* The part with the tables for unwinding, and where in it their index begins. */
  uint64_t tables, tables_end, index;
  /* Its path; empty for the program itself. The caller frees it. */
  char *path;
} cstacks_image;

/* Writes what is loaded at the moment into `into`, and keeps it from being unloaded. How many, at most `room`.
 * Takes the loader's lock. */
int cstacks_images(cstacks_image *into, int room);
