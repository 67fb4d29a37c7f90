/*
 * Tasks with arguments of every size from 0 to 80 bytes, queued and run at once, that ask who they are: their ids, their
 * creators' ids and their states have to fit, and so do their arguments. Exits with 1 where something doesn't.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REQ_STATE = 3, REQ_TASK_ID = 9, REQ_TASK_PID = 10, WORK = 2, LARGEST = 80, EACH = 300 };

typedef void outlined(void *);
typedef void create_task(outlined *, void *, void (*)(void *, void *), long, long, _Bool, unsigned, void **, int, void *);
create_task GOMP_task;

static int (*api)(void *);
static int failed;

static uint64_t ask(int request)
{
    struct { int sz, request, ec, rsz, mem[3], end; } message = {28, request, 0, 0, {0, 0, 0}, 0};
    uint64_t answer = 0;
    if (api(&message) || message.ec)
        return UINT64_MAX;
    memcpy(&answer, message.mem, message.rsz == 4 ? 4 : 8);
    return answer;
}

static void expect(int holds, const char *what, long of)
{
    if (!holds && !__atomic_exchange_n(&failed, 1, __ATOMIC_RELAXED))
        printf("%s (%ld)\n", what, of);
}

/* Data of a task of each size: bytes that count up from the size. */
static int ran[LARGEST + 1];

static void body(unsigned char *bytes, long size, uint64_t creator)
{
    uint64_t me = ask(REQ_TASK_ID);
    for (long i = 0; i < size; i++)
        expect(bytes[i] == (unsigned char)(size + i), "another argument", size);
    expect(me != 0 && me != UINT64_MAX && me != creator, "no id of its own", size);
    expect(ask(REQ_TASK_PID) == creator, "another creator", size);
    expect(ask(REQ_STATE) == WORK, "another state", size);
    int inner = 0;
#pragma omp task shared(inner) if (size % 2)
    {
        expect(ask(REQ_TASK_PID) == me, "another creator of a task's task", size);
        inner = 1;
    }
#pragma omp taskwait
    expect(inner && ask(REQ_TASK_ID) == me && ask(REQ_STATE) == WORK, "another task after its own", size);
    __atomic_add_fetch(&ran[size], 1, __ATOMIC_RELAXED);
}

/* One function for each size: the size is not among its arguments. */
#define SIZES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(16) X(20) X(24) X(28) X(31) X(32) \
    X(36) X(40) X(44) X(48) X(52) X(56) X(57) X(60) X(61) X(62) X(63) X(64) X(65) X(68) X(72) X(80)
static uint64_t creators;
#define FUNCTION(size) static void of_##size(void *bytes) { body(bytes, size, creators); }
SIZES(FUNCTION)
#define ROW(size) {size, of_##size},
static const struct { long size; outlined *function; } rows[] = {SIZES(ROW)};
enum { ROWS = sizeof rows / sizeof rows[0] };

int main(void)
{
    *(void **)&api = dlsym(RTLD_DEFAULT, "__omp_collector_api");
    if (!api)
        return 2;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        creators = ask(REQ_TASK_ID);
        for (int round = 0; round < EACH; round++)
            for (int row = 0; row < ROWS; row++) {
                unsigned char bytes[LARGEST];
                for (long i = 0; i < rows[row].size; i++)
                    bytes[i] = (unsigned char)(rows[row].size + i);
                /* Every third task may not be queued. */
                GOMP_task(rows[row].function, bytes, NULL, rows[row].size, 1, round % 3 != 0, 0, NULL, 0, NULL);
                expect(ask(REQ_TASK_ID) == creators && ask(REQ_STATE) == WORK, "another creator now", rows[row].size);
            }
    }
    for (int row = 0; row < ROWS; row++)
        expect(ran[rows[row].size] == EACH, "not as many have run", rows[row].size);
    return failed;
}
