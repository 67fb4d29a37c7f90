/* GOMP_task with arguments of every size and alignment and without a copy function, which gcc emits for scalars only:
 * deferred, undeferred, final, detached, with a dependence. */
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int, void *)
    __asm__("GOMP_task");

enum { FINAL = 2, DEPEND = 8, DETACH = 1 << 13 };

struct head {
    omp_event_handle_t event;
    size_t size, align, seed;
};

static unsigned long total, crooked, wrong;

__attribute__((noipa)) static void look(void *data) {
    const struct head *head = data;
    const unsigned char *bytes = data;
    unsigned long sum = 0;
    size_t i;
    for (i = sizeof *head; i < head->size; i++) {
        sum += bytes[i] * (i % 13 + 1);
        if (bytes[i] != (unsigned char)(head->seed + i)) {
#pragma omp atomic
            wrong += 1;
        }
    }
#pragma omp atomic
    total += sum;
#pragma omp atomic
    crooked += (uintptr_t)data % head->align != 0;
    if (head->event) omp_fulfill_event(head->event);
}

static void make(size_t size, size_t align, unsigned flags, bool condition) {
    static char place;
    static size_t seed;
    void *depend[] = {(void *)1, (void *)1, &place}, *event = NULL;
    unsigned char *data = aligned_alloc(align, (size + align - 1) / align * align);
    struct head *head = (struct head *)data;
    size_t i;
    if (!data) abort();
    head->event = 0;
    head->size = size;
    head->align = align;
    head->seed = ++seed;
    for (i = sizeof *head; i < size; i++) data[i] = (unsigned char)(head->seed + i);
    task(look, data, NULL, (long)size, (long)align, condition, flags, depend, 0, &event);
    memset(data, 0xee, size);
    free(data);
}

static void all(void) {
    static const size_t sizes[] = {32,  33,  40,  100,  400,  440,  447,  448,  456,  463,   464,   471,   472,   480,
                                   488, 496, 500, 511,  512,  513,  520,  1000, 1016, 1023,  1024,  1025,  1026,  1280,
                                   1281, 2000, 2048, 2049, 3000, 4096, 5000, 8192, 8193, 65536, 65537, 100000, 131072};
    size_t i, align;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (align = 8; align <= 4096; align *= align < 64 ? 2 : 8) {
            make(sizes[i], align, 0, true);
            make(sizes[i], align, 0, false);
            make(sizes[i], align, FINAL, true);
            make(sizes[i], align, DETACH, true);
            make(sizes[i], align, DEPEND, i % 2);
            make(sizes[i], align, DETACH | DEPEND, true);
        }
}

int main(void) {
#pragma omp parallel
#pragma omp single
    all();
    printf("%lu, %lu crooked, %lu wrong\n", total, crooked, wrong);
    all();
#pragma omp taskwait
    printf("%lu, %lu crooked, %lu wrong\n", total, crooked, wrong);
    return 0;
}
