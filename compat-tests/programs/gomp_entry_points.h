/* Entry points of libgomp that these programs call directly, because today's gcc doesn't generate calls of them, or not where a test
 * needs them. */
#ifndef GOMP_ENTRY_POINTS_H
#define GOMP_ENTRY_POINTS_H

#include <stdbool.h>

void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_static_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_guided_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_runtime_start(void (*)(void *), void *, unsigned, long, long, long);
void GOMP_parallel_sections_start(void (*)(void *), void *, unsigned, unsigned);
bool GOMP_loop_static_start(long, long, long, long, long *, long *);
bool GOMP_loop_static_next(long *, long *);
bool GOMP_loop_ull_static_start(bool, unsigned long long, unsigned long long, unsigned long long, unsigned long long,
                                unsigned long long *, unsigned long long *);
bool GOMP_loop_ull_static_next(unsigned long long *, unsigned long long *);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_guided_next(long *, long *);
bool GOMP_loop_runtime_next(long *, long *);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

#endif
