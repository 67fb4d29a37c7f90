/* Runtime functions called through pointers: in constant data, in variables, and looked up by name. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

void GOMP_barrier(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);

static void (*const table[])(void) = {GOMP_barrier, GOMP_critical_start, GOMP_critical_end};
static void (*variable)(void) = GOMP_barrier;
static void (*const set)(omp_lock_t *) = omp_set_lock;
static void (*const unset)(omp_lock_t *) = omp_unset_lock;

int main(void) {
    void (*volatile local)(void) = GOMP_barrier;
    void (*found)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "GOMP_barrier");
    omp_lock_t lock;
    long count = 0, locked = 0;
    memcpy(&found, &symbol, sizeof found);
    omp_init_lock(&lock);
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
        table[0](); /* expect: EBAR T */
        variable(); /* expect: EBAR T */
        local();    /* expect: EBAR T */
        found();    /* expect: EBAR T */
        table[1](); /* expect: CTWT 0..T-1 */
        count += 1;
        table[2]();
        set(&lock); /* expect: LKWT 0..T-1 */
        locked += 1;
        unset(&lock);
    }
    omp_destroy_lock(&lock);
    printf("%ld %ld\n", count, locked);
    return 0;
}
