#include "CPeers.h"
#include <dirent.h>
#include <linux/capability.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

long cpeers_allocated_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}

extern char **environ;

double cpeers_spawn(const char *path, char *const arguments[], int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  pid_t child;
  int64_t began = cpeers_nanoseconds();
  int failed = posix_spawn(&child, path, &actions, NULL, arguments, environ);
  int status = 0;
  if (!failed && waitpid(child, &status, 0) != child) failed = 1;
  int64_t ended = cpeers_nanoseconds();
  posix_spawn_file_actions_destroy(&actions);
  if (failed || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return -1;
  return (double)(ended - began);
}

static long switches_of(const char *thread) {
  char path[64], line[128];
  snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  long sum = 0, count;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1 ||
        sscanf(line, "nonvoluntary_ctxt_switches: %ld", &count) == 1)
      sum += count;
  fclose(file);
  return sum;
}

long cpeers_context_switches(void) {
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return -1;
  char own[16];
  snprintf(own, sizeof own, "%ld", (long)syscall(SYS_gettid));
  long sum = 0;
  for (struct dirent *entry; (entry = readdir(threads));)
    if (entry->d_name[0] != '.' && strcmp(entry->d_name, own) != 0) sum += switches_of(entry->d_name);
  closedir(threads);
  return sum;
}

void cpeers_give_up_niceness(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {0};
  if (syscall(SYS_capget, &header, data) != 0) abort();
  unsigned bit = 1u << CAP_SYS_NICE;
  data[0].effective &= ~bit;
  data[0].permitted &= ~bit;
  data[0].inheritable &= ~bit;
  if (syscall(SYS_capset, &header, data) != 0) abort();
  /* Also gives up what a limit of the system would allow. */
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_NICE, &none) != 0) abort();
}
