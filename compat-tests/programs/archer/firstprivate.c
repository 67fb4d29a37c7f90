/* A task's firstprivate copy is its own, made when it was created: the creator may go on writing. Twin: the variable is shared. */
#include "apart.h"

static long seen;

int main(void) {
    static int written, done;
    struct {
        long words[16];
    } box = {{0}};
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        box.words[9] = 5;
#pragma omp task UNLESS_TWIN(firstprivate(box)) IF_TWIN(shared(box))
        {
            await(&written, 1);
            seen = box.words[9]; /* race */
            tell(&done);
        }
        box.words[9] = 6; /* race */
        tell(&written);
        await(&done, 1);
    }
    return seen != 5;
}
