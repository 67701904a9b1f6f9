#include "CPeers.h"
#include <stdlib.h>
#include <uv.h>

static void on_stat(uv_fs_t *request) {
  int64_t *ended = request->data;
  *ended = cpeers_nanoseconds();
  uv_fs_req_cleanup(request);
}

static double stat_once(uv_loop_t *loop) {
  int64_t ended = 0;
  uv_fs_t request = {.data = &ended};
  int64_t began = cpeers_nanoseconds();
  if (uv_fs_stat(loop, &request, "/", on_stat)) abort();
  while (ended == 0) uv_run(loop, UV_RUN_ONCE);
  return (double)(ended - began);
}

void cpeers_stat(long count, int64_t gap, double *nanoseconds) {
  uv_loop_t loop;
  if (uv_loop_init(&loop)) abort();
  for (long number = 0; number < count; number++) {
    nanoseconds[number] = stat_once(&loop);
    struct timespec pause = {gap / 1000000000, gap % 1000000000};
    nanosleep(&pause, NULL);
  }
  uv_loop_close(&loop);
}

static void a_millisecond(uv_work_t *request) {
  int64_t end = cpeers_nanoseconds() + 1000000;
  while (cpeers_nanoseconds() < end) {
  }
  (void)request;
}

static void free_work(uv_work_t *request, int status) {
  free(request);
  (void)status;
}

double cpeers_stat_behind_queue_work(long tasks) {
  uv_loop_t loop;
  if (uv_loop_init(&loop)) abort();
  for (long number = 0; number < tasks; number++) {
    uv_work_t *request = malloc(sizeof *request);
    if (!request || uv_queue_work(&loop, request, a_millisecond, free_work)) abort();
  }
  double nanoseconds = stat_once(&loop);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  return nanoseconds;
}
