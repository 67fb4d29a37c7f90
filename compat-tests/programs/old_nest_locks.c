/* A program from the time of OpenMP 2.5: its nest locks have 8 bytes, and it calls the functions for those. Today's functions would
 * write past the end of such locks. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gate.h"

#ifdef NAMES_OF_FORTRAN
#define OLD(name) __asm__(".symver " #name "_," #name "_@OMP_1.0")
void omp_init_nest_lock_(omp_nest_lock_t *);
#define omp_init_nest_lock omp_init_nest_lock_
void omp_destroy_nest_lock_(omp_nest_lock_t *);
#define omp_destroy_nest_lock omp_destroy_nest_lock_
void omp_set_nest_lock_(omp_nest_lock_t *);
#define omp_set_nest_lock omp_set_nest_lock_
void omp_unset_nest_lock_(omp_nest_lock_t *);
#define omp_unset_nest_lock omp_unset_nest_lock_
int omp_test_nest_lock_(omp_nest_lock_t *);
#define omp_test_nest_lock omp_test_nest_lock_
void omp_init_lock_(omp_lock_t *);
#define omp_init_lock omp_init_lock_
void omp_destroy_lock_(omp_lock_t *);
#define omp_destroy_lock omp_destroy_lock_
void omp_set_lock_(omp_lock_t *);
#define omp_set_lock omp_set_lock_
void omp_unset_lock_(omp_lock_t *);
#define omp_unset_lock omp_unset_lock_
int omp_test_lock_(omp_lock_t *);
#define omp_test_lock omp_test_lock_
#else
#define OLD(name) __asm__(".symver " #name "," #name "@OMP_1.0")
#endif
OLD(omp_init_nest_lock);
OLD(omp_destroy_nest_lock);
OLD(omp_set_nest_lock);
OLD(omp_unset_nest_lock);
OLD(omp_test_nest_lock);
OLD(omp_init_lock);
OLD(omp_destroy_lock);
OLD(omp_set_lock);
OLD(omp_unset_lock);
OLD(omp_test_lock);

enum { ROUNDS = 200 };

/* The memory before and after the lock must not change. */
static struct {
    uint32_t before[4];
    union {
        uint32_t words[2];
        uint64_t aligned;
    } nest;
    uint32_t between[4], lock[1], behind[5];
} memory;

static int harmed(void) {
    int i, count = 0;
    for (i = 0; i < 4; i++) count += memory.before[i] != 0xabababab;
    for (i = 0; i < 4; i++) count += memory.between[i] != 0xabababab;
    for (i = 0; i < 5; i++) count += memory.behind[i] != 0xabababab;
    return count;
}

/* Used as a library, for a host that loads it: 0 is success here as well. */
#ifdef AS_LIBRARY
__attribute__((visibility("default"))) int wheel_finish(void) { return 0; }
__attribute__((visibility("default"))) long wheel_compute(int rounds __attribute__((unused))) {
#else
int main(void) {
#endif
    omp_nest_lock_t *nest = (void *)&memory.nest;
    omp_lock_t *lock = (void *)memory.lock;
    int count = 0, inner = 0, tried = 0, tid = 0;
    memset(&memory, 0xab, sizeof memory);
    omp_init_nest_lock(nest);
    omp_init_lock(lock);
    omp_set_nest_lock(nest);
    printf("own: %d\n", omp_test_nest_lock(nest));
    omp_unset_nest_lock(nest);
    omp_unset_nest_lock(nest);
#pragma omp parallel num_threads(4)
    for (int round = 0; round < ROUNDS; round++) {
        omp_set_nest_lock(nest);
        omp_set_nest_lock(nest);
        count += 1;
        omp_unset_nest_lock(nest);
        omp_unset_nest_lock(nest);
        omp_set_lock(lock);
        inner += 1;
        omp_unset_lock(lock);
        if (omp_test_nest_lock(nest)) {
            omp_unset_nest_lock(nest);
#pragma omp atomic
            tried += 1;
        }
        if (omp_test_lock(lock)) omp_unset_lock(lock);
    }
    printf("%d %d %d\n", count, inner, tried >= 0);
    /* One certain wait. */
    omp_set_nest_lock(nest);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        gate_set(&tid, gate_thread_id());
        omp_set_nest_lock(nest);
        omp_unset_nest_lock(nest);
    } else {
        gate_until_blocked(&tid);
        omp_unset_nest_lock(nest);
    }
    omp_destroy_nest_lock(nest);
    omp_destroy_lock(lock);
    printf("words that were harmed: %d\n", harmed());
    return harmed() != 0;
}
