/* What planted faults share: work of a known length, and the table that main calls from. */
#pragma once

#include <omp.h>

/* Each runs for about `ms` milliseconds on two processors. `mended`: the same work without the fault. */
typedef void fault(long ms, int mended);

struct planted {
    const char *name;
    fault *run;
};

/* So much work as takes a microsecond of an idle processor. */
double work(double us);

/* Keeps a result. */
extern volatile double sink;

/* A loop bound that the compiler doesn't know. */
#define OUTLINED __attribute__((noinline, noclone))
