/* A collector in the common subset of C and C++. */
#include "omp_collector_api.h"
#include "omp_collector_api.h"

static void seen(OMP_COLLECTORAPI_EVENT event) { (void)event; }

int main(void) {
    OMP_COLLECTORAPI_CALLBACK call = seen;
    call(OMP_EVENT_FORK);
    return 0;
}
