#define _GNU_SOURCE
#include "CStacks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* The red zone: a function that calls no other may keep values in the 128 bytes below the stack
 * pointer, and after `pop %rbp` the tables of LLVM still say that rbp lies there. */
#define RED_ZONE 128

#if defined(__x86_64__)

/* A handler runs at any instruction: sanitizers must not add theirs to it. */
#define PLAIN __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

/* One request at a time. The lowest two bits of `state` are its phase, the others the request's
 * number, so that an answer that comes too late finds another number, or the phase IDLE, and writes
 * nothing. The thread that has asked sleeps on `state`, a futex. */
enum { IDLE = 0, ASKED = 1, WRITING = 2, ANSWERED = 3 };
static uint32_t state;
static cstacks_sample slot;
static uint8_t slot_stack[CSTACKS_BYTES];
static int memory = -1;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `lock`. */
static uint32_t requests;
static struct sigaction before[65];
static int is_installed[65];

/* pread takes no lock and may be called in a handler. It fails where nothing is mapped, and stops at
 * the end of what is. The raw call, since ThreadSanitizer watches the function. */
static PLAIN uint32_t copy_stack(uint64_t pointer, uint64_t *from, uint8_t *into) {
  *from = (pointer - RED_ZONE) & ~(uint64_t)7;
  long count = syscall(SYS_pread64, memory, into, (size_t)CSTACKS_BYTES, (off_t)*from);
  return count < 0 ? 0 : (uint32_t)count & ~7u;
}

static PLAIN void handle(int signal, siginfo_t *info, void *context) {
  int saved = errno;
  uint32_t request = (uint32_t)(uintptr_t)info->si_value.sival_ptr;
  if (info->si_code != SI_QUEUE || info->si_pid != getpid()) {
    struct sigaction *other = &before[signal];
    if (other->sa_flags & SA_SIGINFO) {
      if (other->sa_sigaction) other->sa_sigaction(signal, info, context);
    } else if (other->sa_handler != SIG_DFL && other->sa_handler != SIG_IGN) {
      other->sa_handler(signal);
    }
    errno = saved;
    return;
  }
  uint32_t asked = request << 2 | ASKED;
  if (!__atomic_compare_exchange_n(&state, &asked, request << 2 | WRITING, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED)) {
    errno = saved;
    return;
  }
  static const int order[CSTACKS_REGISTERS] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
  };
  const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  for (int i = 0; i < CSTACKS_REGISTERS; i++) slot.registers[i] = (uint64_t)registers[order[i]];
  slot.known = (1u << CSTACKS_REGISTERS) - 1;
  slot.count = copy_stack((uint64_t)registers[REG_RSP], &slot.from, slot_stack);
  __atomic_store_n(&state, request << 2 | ANSWERED, __ATOMIC_RELEASE);
  syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
  errno = saved;
}

static int is_ours(int signal) {
  struct sigaction now;
  if (sigaction(signal, 0, &now)) return 0;
  return now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle;
}

int cstacks_prepare(int signal) {
  if (signal < 1 || signal > 64) return EINVAL;
  pthread_mutex_lock(&lock);
  int failure = 0;
  if (memory < 0) {
    memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0) failure = errno;
  }
  if (!failure && !is_installed[signal]) {
    struct sigaction ours, theirs;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    /* First what was there: the handler may run as soon as it is installed. */
    if (sigaction(signal, 0, &theirs)) failure = errno;
    if (!failure) {
      before[signal] = theirs;
      if (sigaction(signal, &ours, 0)) failure = errno;
      else is_installed[signal] = 1;
    }
  }
  pthread_mutex_unlock(&lock);
  return failure;
}

/* What the kernel says of the thread: 1 and a line if it sleeps, 0 if it runs, -1 if it does not say,
 * -2 if there is no such thread. */
static int look(int thread, char *line, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT && access("/proc/self/task", F_OK) == 0 ? -2 : -1;
  ssize_t count = read(file, line, size - 1);
  int failure = errno;
  close(file);
  if (count <= 0) return count < 0 && failure == ESRCH ? -2 : -1;
  line[count] = 0;
  return strncmp(line, "running", 7) == 0 ? 0 : 1;
}

/* The last two words of the line: the stack pointer and the program counter. */
static int parse(const char *line, uint64_t *pointer, uint64_t *counter) {
  const char *words[2] = {0, 0};
  for (const char *at = strchr(line, ' '); at; at = strchr(at + 1, ' ')) {
    words[0] = words[1];
    words[1] = at + 1;
  }
  if (!words[0]) return 0;
  *pointer = strtoull(words[0], 0, 16);
  *counter = strtoull(words[1], 0, 16);
  return *pointer > RED_ZONE && *counter != 0;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int ask(int thread, int signal, int milliseconds) {
  if (!is_ours(signal)) return CSTACKS_REPLACED;
  uint32_t request = ++requests & 0x3fffffff;
  __atomic_store_n(&state, request << 2 | ASKED, __ATOMIC_RELEASE);
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = (void *)(uintptr_t)request;
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, signal, &info)) {
    __atomic_store_n(&state, request << 2 | IDLE, __ATOMIC_RELEASE);
    /* EAGAIN: too many signals wait in the whole process. */
    return errno == ESRCH ? CSTACKS_GONE : CSTACKS_SILENT;
  }
  int64_t end = now() + (int64_t)milliseconds * 1000000;
  for (;;) {
    uint32_t seen = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    if (seen == (request << 2 | ANSWERED)) return CSTACKS_TAKEN;
    int64_t left = end - now();
    if (left <= 0) {
      uint32_t asked = request << 2 | ASKED;
      /* If that fails the handler is writing, and soon done. */
      if (__atomic_compare_exchange_n(&state, &asked, request << 2 | IDLE, 0, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        return CSTACKS_SILENT;
      left = 1000000;
    }
    struct timespec time = {left / 1000000000, left % 1000000000};
    syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, seen, &time, 0, 0);
  }
}

int cstacks_take(int thread, int signal, int milliseconds, cstacks_sample *into, uint8_t *stack) {
  pthread_mutex_lock(&lock);
  int answer = memory < 0 ? CSTACKS_HIDDEN : CSTACKS_RESTLESS;
  for (int tries = 0; tries < 20 && answer == CSTACKS_RESTLESS; tries++) {
    char line[256], again[256];
    uint64_t pointer, counter;
    int seen = look(thread, line, sizeof line);
    if (seen < 0) {
      answer = seen == -2 ? CSTACKS_GONE : CSTACKS_HIDDEN;
    } else if (seen == 0) {
      answer = ask(thread, signal, milliseconds);
      if (answer == CSTACKS_TAKEN) {
        *into = slot;
        memcpy(stack, slot_stack, slot.count);
      }
    } else if (parse(line, &pointer, &counter)) {
      memset(into, 0, sizeof *into);
      into->registers[7] = pointer;
      into->registers[16] = counter;
      into->known = 1u << 7 | 1u << 16;
      into->count = copy_stack(pointer, &into->from, stack);
      /* The same line again: the thread has slept all the while. */
      if (look(thread, again, sizeof again) == 1 && strcmp(line, again) == 0)
        answer = CSTACKS_TAKEN;
    }
  }
  pthread_mutex_unlock(&lock);
  return answer;
}

#else

int cstacks_prepare(int signal) { return signal < 1 || signal > 64 ? EINVAL : 0; }
int cstacks_take(int thread, int signal, int milliseconds, cstacks_sample *into, uint8_t *stack) {
  (void)thread, (void)signal, (void)milliseconds, (void)into, (void)stack;
  return CSTACKS_UNSUPPORTED;
}

#endif

struct filling {
  cstacks_image *into;
  int room, count;
};

static int add(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct filling *filling = data;
  if (filling->count == filling->room) return 1;
  cstacks_image image = {.base = info->dlpi_addr, .path = info->dlpi_name};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_GNU_EH_FRAME) image.index = info->dlpi_addr + part->p_vaddr;
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uint64_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_R)) continue;
    if (part->p_flags & PF_X) image.text = start, image.text_end = end;
    if (image.index >= start && image.index < end) image.tables = start, image.tables_end = end;
  }
  if (image.text && image.tables) filling->into[filling->count++] = image;
  return 0;
}

int cstacks_images(cstacks_image *into, int room) {
  struct filling first = {into, room, 0};
  dl_iterate_phdr(add, &first);
  /* Another thread may unload one before it is held, and load another in its place. So what counts
   * is what is there afterwards and was held before. */
  cstacks_image *held = calloc((size_t)first.count + 1, sizeof *held);
  if (!held) return 0;
  int holds = 0;
  for (int i = 0; i < first.count; i++) {
    /* A copy: the name goes with the image. */
    char *path = strdup(into[i].path);
    if (!path) continue;
    /* The program itself and the kernel's own library have no file to hold, and stay. */
    int stays = path[0] == 0 || strncmp(path, "linux-vdso", 10) == 0;
    if (stays || dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) {
      held[holds] = into[i];
      held[holds++].path = path;
    } else {
      free(path);
    }
  }
  struct filling second = {into, room, 0};
  dl_iterate_phdr(add, &second);
  int count = 0;
  for (int i = 0; i < second.count; i++) {
    int is_held = 0;
    for (int k = 0; k < holds && !is_held; k++)
      is_held = into[i].base == held[k].base && into[i].index == held[k].index &&
                strcmp(into[i].path, held[k].path) == 0;
    if (is_held) into[count++] = into[i];
  }
  for (int k = 0; k < holds; k++) free((char *)held[k].path);
  free(held);
  return count;
}
