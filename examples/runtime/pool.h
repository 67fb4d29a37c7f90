/*
 * A threading library with one construct: a loop whose iterations a pool of threads shares.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef POOL_H
#define POOL_H

/* Makes the pool: the calling thread and `threads - 1` workers. Called once, before the loops. */
void pool_start(int threads);

/*
 * Calls body(data, i) for each i from 0 to count - 1, on all threads of the pool, and returns when all calls are done.
 * Only the thread that made the pool may call it, and not from inside of a body.
 */
void pool_for(long count, void (*body)(void *data, long i), void *data);

/* Ends the workers. */
void pool_stop(void);

#endif
