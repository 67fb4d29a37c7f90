/* Two consecutive single constructs, with a barrier between them. All threads but the first arrive when the first one has ended.
   Twin: nowait, so one thread may execute both, and another one as well. */
#include "../archer/apart.h"

int main(void) {
    static int begun, done;
    static long value, seen;
#pragma omp parallel num_threads(3)
    {
        if (tell(&begun) > 0)
            await(&done, 1);
#pragma omp single IF_TWIN(nowait)
        {
            value = 5; /* race */
            tell(&done);
        }
#pragma omp single
        seen = value; /* race */
    }
    return seen != 5;
}
