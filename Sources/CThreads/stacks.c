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
/* The thread that was asked. */
static int asked_thread;
/* What the upper half of the signal's value is, so that it is told from what the program queues. */
#define MARK 0x75767374u
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
  uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
  uint32_t request = (uint32_t)value;
  int is_asked = info->si_code == SI_QUEUE && info->si_pid == getpid() && value >> 32 == MARK;
  /* At its limit of signals that wait, the kernel delivers this one without its value. */
  uint32_t now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (!is_asked && info->si_code == SI_USER && info->si_pid == 0 && (now & 3) == ASKED &&
      asked_thread == (int)syscall(SYS_gettid)) {
    is_asked = 1;
    request = now >> 2;
  }
  if (!is_asked) {
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

/* Not over a handler that has come after ours: it may call ours, and ours would call it. */
static int may_install(int signal) {
  struct sigaction now;
  if (!is_installed[signal] || sigaction(signal, 0, &now)) return 1;
  return !(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN);
}

int cstacks_prepare(int signal) {
  if (signal < 1 || signal > 64) return EINVAL;
  pthread_mutex_lock(&lock);
  int failure = 0;
  if (memory < 0) {
    memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0) failure = errno;
  }
  if (!failure && may_install(signal)) {
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

/* Reads a file of a thread, and returns how many bytes: -1 if the system hides it, -2 if there is no such thread. */
static ssize_t read_file(int thread, const char *name, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno != ENOENT) return -1;
    snprintf(path, sizeof path, "/proc/self/task/%d", thread);
    return access("/proc/self/task", F_OK) == 0 && access(path, F_OK) != 0 ? -2 : -1;
  }
  ssize_t count = read(file, text, size - 1);
  int failure = errno;
  close(file);
  if (count <= 0) return count < 0 && failure == ESRCH ? -2 : -1;
  text[count] = 0;
  return count;
}

/* What the kernel says of the thread: 1 and a line if it sleeps, 0 if it runs, -1 and -2 as read_file(). */
static int look(int thread, char *line, size_t size) {
  ssize_t count = read_file(thread, "syscall", line, size);
  if (count < 0) return (int)count;
  return strncmp(line, "running", 7) == 0 ? 0 : 1;
}

/* How long and how often the thread has run. It is the same again only if the thread has not run since. */
static void read_runs(int thread, char *text, size_t size) {
  if (read_file(thread, "schedstat", text, size) > 0) return;
  /* A kernel without scheduler statistics counts how often a thread has gone to sleep. */
  char status[4096];
  text[0] = 0;
  if (read_file(thread, "status", status, sizeof status) < 0) return;
  const char *switches = strstr(status, "voluntary_ctxt_switches");
  if (switches) snprintf(text, size, "%s", switches);
}

static int blocks(int thread, int signal) {
  char status[4096];
  if (read_file(thread, "status", status, sizeof status) < 0) return 0;
  const char *mask = strstr(status, "SigBlk:");
  return mask && strtoull(mask + 7, 0, 16) >> (signal - 1) & 1;
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
  /* If a handler has not finished in time, it may still write. If its thread was ended in it, it never will. */
  if ((__atomic_load_n(&state, __ATOMIC_ACQUIRE) & 3) == WRITING &&
      (syscall(SYS_tgkill, getpid(), asked_thread, 0) == 0 || errno != ESRCH))
    return CSTACKS_SILENT;
  /* Not for long, if it is in a handler: in the one that has just answered, for example. */
  for (int looks = 0; blocks(thread, signal); looks++) {
    if (looks == 20) return CSTACKS_SILENT;
    struct timespec pause = {0, 1000000};
    nanosleep(&pause, 0);
  }
  asked_thread = thread;
  uint32_t request = ++requests & 0x3fffffff;
  __atomic_store_n(&state, request << 2 | ASKED, __ATOMIC_RELEASE);
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = (void *)(uintptr_t)((uint64_t)MARK << 32 | request);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, signal, &info)) {
    __atomic_store_n(&state, request << 2 | IDLE, __ATOMIC_RELEASE);
    return errno == ESRCH ? CSTACKS_GONE : CSTACKS_SILENT;
  }
  int64_t end = now() + (int64_t)milliseconds * 1000000;
  for (;;) {
    uint32_t seen = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    if (seen == (request << 2 | ANSWERED)) return CSTACKS_TAKEN;
    int64_t left = end - now();
    if (left <= 0) {
      uint32_t asked = request << 2 | ASKED;
      /* If that fails the handler is writing, and done soon, unless its thread was ended in it. */
      if (__atomic_compare_exchange_n(&state, &asked, request << 2 | IDLE, 0, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        return CSTACKS_SILENT;
      if (left < -1000000000) return CSTACKS_SILENT;
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
    char line[256], again[256], runs[256], runs_again[256];
    uint64_t pointer, counter;
    read_runs(thread, runs, sizeof runs);
    int seen = look(thread, line, sizeof line);
    /* A thread that only runs between two waits is better met in one: a signal may end a transfer early. */
    for (int looks = 0; seen == 0 && looks < 2; looks++) {
      struct timespec pause = {0, 50000};
      nanosleep(&pause, 0);
      read_runs(thread, runs, sizeof runs);
      seen = look(thread, line, sizeof line);
    }
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
      /* The thread has not run since: it has slept all the while. */
      int sleeps = look(thread, again, sizeof again) == 1 && strcmp(line, again) == 0;
      read_runs(thread, runs_again, sizeof runs_again);
      if (sleeps && strcmp(runs, runs_again) == 0) answer = CSTACKS_TAKEN;
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
  cstacks_image image = {.base = info->dlpi_addr};
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
  if (!image.text || !image.tables) return 0;
  /* A copy, and here: the loader's own goes with the image, once its lock is free. */
  image.path = strdup(info->dlpi_name);
  if (image.path) filling->into[filling->count++] = image;
  return 0;
}

static int is_same(const cstacks_image *one, const cstacks_image *other) {
  return one->base == other->base && one->index == other->index &&
         strcmp(one->path, other->path) == 0;
}

int cstacks_images(cstacks_image *into, int room) {
  /* Another thread may unload one before it is held, and load another in its place. So what counts
   * is what is there afterwards and was held before. */
  cstacks_image *held = calloc((size_t)room, sizeof *held);
  if (!held) return 0;
  struct filling first = {held, room, 0}, second = {into, room, 0};
  dl_iterate_phdr(add, &first);
  for (int i = 0; i < first.count; i++) {
    /* The program itself and the kernel's own library have no file to hold, and stay. */
    char *path = held[i].path;
    if (path[0] == 0 || strncmp(path, "linux-vdso", 10) == 0) continue;
    if (!dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) held[i].index = 0;
  }
  dl_iterate_phdr(add, &second);
  int count = 0;
  for (int i = 0; i < second.count; i++) {
    int is_held = 0;
    for (int k = 0; k < first.count && !is_held; k++) is_held = is_same(&into[i], &held[k]);
    if (is_held) into[count++] = into[i];
    else free(into[i].path);
  }
  for (int i = 0; i < first.count; i++) free(held[i].path);
  free(held);
  return count;
}
