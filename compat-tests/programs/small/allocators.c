/* Allocators of the runtime, and private copies that come from them. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    const omp_alloctrait_t traits[] = {{omp_atk_alignment, 128}, {omp_atk_pool_size, 1 << 16}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 3, traits);
    long sum = 0, crooked = 0, refused = 0;
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, i;
#pragma omp parallel reduction(+ : sum, crooked, refused) private(i)
    {
        char *block = omp_alloc(1000, pool), *bare = omp_calloc(10, 10, omp_default_mem_alloc);
        if (block) {
            crooked += (uintptr_t)block % 128 != 0;
            memset(block, 1, 1000);
            block = omp_realloc(block, 2000, pool, pool);
            sum += block ? block[999] : 0;
        }
        sum += bare[50];
        refused += omp_alloc(1 << 20, pool) == NULL;
#pragma omp barrier
        omp_free(block, pool);
        omp_free(bare, omp_null_allocator);
#pragma omp for allocate(pool : values) firstprivate(values)
        for (i = 0; i < 8; i++) sum += values[i];
    }
#pragma omp parallel allocate(omp_large_cap_mem_alloc : sum) reduction(+ : sum)
    sum += 0;
    omp_destroy_allocator(pool);
    printf("%ld %ld %ld\n", sum - omp_get_max_threads(), crooked, refused / omp_get_max_threads());
    return 0;
}
