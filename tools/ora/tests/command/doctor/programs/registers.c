/* A collector: prints the numbers of the events that are refused as unsupported. */
#include <stdio.h>
#include <string.h>

#include "omp_collector_api.h"

static void never(OMP_COLLECTORAPI_EVENT event) { (void)event; }

__attribute__((constructor)) static void start(void)
{
    int begin[] = {16, OMP_REQ_START, 0, 0, 0};
    __omp_collector_api(begin);
    for (int event = 1; event <= 35; event++) {
        int entry[] = {28, OMP_REQ_REGISTER, 0, 0, event, 0, 0, 0};
        OMP_COLLECTORAPI_CALLBACK callback = never;
        memcpy(&entry[5], &callback, sizeof callback);
        __omp_collector_api(entry);
        if (entry[2] == OMP_ERRCODE_UNSUPPORTED) fprintf(stderr, "%d ", event);
    }
}
