// What a sum of int64 over two ranks costs with MPI, measured as bench/all_reduce.cc measures ours:
// a line "KIB MICROSECONDS" per size; the median of the times from when the last rank calls
// MPI_Allreduce until all ranks have the sum. Rank r runs on the r-th CPU. Not part of the build:
// docs/measuring.md tells how to compile and run it.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kIterations = 2000, kWarmUp = 500, kLargest = 65536 };

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void pin(int rank) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(rank, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) perror("sched_setaffinity");
}

static void measure(int rank, int64_t bytes) {
  static int64_t mine[kLargest / 8], sum[kLargest / 8];
  static int64_t begins[kIterations], ends[kIterations], last_begin[kIterations], last_end[kIterations];
  const int count = (int)(bytes / 8);
  for (int i = -kWarmUp; i < kIterations; ++i) {
    for (int k = 0; k < count; ++k) mine[k] = i + k;
    __sync_synchronize();
    const int64_t begin = now();
    MPI_Allreduce(mine, sum, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const int64_t end = now();
    if (sum[1] != 2 * (int64_t)(i + 1)) {
      fprintf(stderr, "a wrong sum\n");
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (i < 0) continue;
    begins[i] = begin;
    ends[i] = end;
  }
  MPI_Reduce(begins, last_begin, kIterations, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(ends, last_end, kIterations, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  static double times[kIterations];
  for (int i = 0; i < kIterations; ++i) times[i] = (double)(last_end[i] - last_begin[i]) * 1e-3;
  qsort(times, kIterations, sizeof times[0], by_value);
  printf("%lld %.3f\n", (long long)(bytes / 1024), times[kIterations / 2]);
}

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    fprintf(stderr, "mpi_all_reduce: expected 2 ranks, got %d\n", size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  pin(rank);
  for (int64_t bytes = 4096; bytes <= kLargest; bytes *= 2) measure(rank, bytes);
  MPI_Finalize();
  return 0;
}
