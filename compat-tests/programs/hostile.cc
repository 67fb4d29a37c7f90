// A program that contains a tool which does what is forbidden in its callbacks: `hostile HABIT`. Built for one interface each: FACE is 1
// for the Collector API, 2 for TR2, 3 for OpenMP 5. Prints nothing if all is well.
#include <omp.h>

#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>

namespace {

// Events that the callbacks report for every interface: a region's start and end, and a thread's wait at a barrier.
void on_begin();
void on_wait();

std::atomic<int> begins, ends, failures;

void check(int line, const char *what, long is, long wanted) {
    if (is == wanted) return;
    printf("line %d: %s is %ld, not %ld\n", line, what, is, wanted);
    failures++;
}
#define CHECK(expression, wanted) check(__LINE__, #expression, (long)(expression), wanted)

}  // namespace

#if FACE == 1
#include "white_paper.h"

namespace {

collector_api api;

void on_event(int event) {
    if (event == EVENT_FORK) on_begin();
    if (event == EVENT_JOIN) ends++;
    if (event == EVENT_BEGIN_EBAR) on_wait();
}

void wish(int event) {
    event_callback callback = on_event;
    int list[] = {28, REQ_REGISTER, -1, -1, event, 0, 0, 0};
    memcpy(&list[5], &callback, sizeof callback);
    CHECK(api(list), 0);
    CHECK(list[2], EC_OK);
}

void attach() {
    int start[] = {16, REQ_START, -1, -1, 0};
    api = find_collector_api();
    if (!api) exit(2);
    CHECK(api(start), 0);
    CHECK(start[2], EC_OK);
    wish(EVENT_FORK), wish(EVENT_JOIN), wish(EVENT_BEGIN_EBAR);
}

void ask() {
    int list[] = {28, REQ_STATE, -1, -1, 0, 0, 0, 24, REQ_CURRENT_PRID, -1, -1, 0, 0, 0};
    CHECK(api(list), 0);
    CHECK(list[2], EC_OK);
}

}  // namespace
#elif FACE == 2
#include <ompt_tr2.h>

namespace {

ompt_get_state_t get_state;

void on_parallel(ompt_task_id_t, ompt_frame_t *, ompt_parallel_id_t, uint32_t, void *) { on_begin(); }
void on_parallel_end(ompt_parallel_id_t, ompt_task_id_t) { ends++; }
void on_barrier(ompt_parallel_id_t, ompt_task_id_t) { on_wait(); }

void attach() { omp_get_max_threads(); }

void ask() {
    ompt_wait_id_t wait = 0;
    CHECK(get_state(&wait) != ompt_state_undefined, 1);
}

}  // namespace

extern "C" int ompt_initialize(ompt_function_lookup_t lookup, const char *, unsigned int) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    set(ompt_event_parallel_begin, (ompt_callback_t)on_parallel);
    set(ompt_event_parallel_end, (ompt_callback_t)on_parallel_end);
    set(ompt_event_wait_barrier_begin, (ompt_callback_t)on_barrier);
    return 1;
}
#else
#include <omp-tools.h>

namespace {

ompt_get_state_t get_state;
ompt_set_callback_t set_callback;

void on_parallel(ompt_data_t *, const ompt_frame_t *, ompt_data_t *, unsigned, int, const void *) { on_begin(); }
void on_parallel_end(ompt_data_t *, ompt_data_t *, int, const void *) { ends++; }
void on_barrier(ompt_sync_region_t, ompt_scope_endpoint_t end, ompt_data_t *, ompt_data_t *, const void *code) {
    // The end of a region is a wait as well: without a place in the program, or of another kind.
    (void)code;
    if (end == ompt_scope_begin) on_wait();
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *) {
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel);
    set_callback(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
    set_callback(ompt_callback_sync_region_wait, (ompt_callback_t)on_barrier);
    return 1;
}

void attach() { omp_get_max_threads(); }

void ask() {
    ompt_wait_id_t wait = 0;
    get_state(&wait);
    set_callback(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
}

}  // namespace

extern "C" ompt_start_tool_result_t *ompt_start_tool(unsigned int, const char *) {
    static ompt_start_tool_result_t result = {initialize, nullptr, {0}};
    return &result;
}
#endif

namespace {

const char *habit = "";
// Armed for one callback at a time.
std::atomic<bool> begin_now, wait_now;
int wait_thread = 0;
jmp_buf out;
std::atomic<int> elsewhere, inside;
void (*barrier)();
thread_local bool counts_not;

bool is(const char *name) { return strcmp(habit, name) == 0; }

__attribute__((noinline)) void by_hand() { barrier(); }

// gcc 12 can't compile setjmp inside of a region.
__attribute__((noinline)) void barrier_with_a_jump() {
    wait_now = true;
    if (setjmp(out) == 0) {
        by_hand();
        CHECK(0, 1);
    } else {
        by_hand();
    }
}

__attribute__((noinline)) void region_with_a_jump();

void regions(int count) {
    for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(2)
        barrier();
    }
}

void region_with_a_jump() {
    begin_now = true;
    if (setjmp(out) == 0) {
        regions(1);
        CHECK(0, 1);
    }
}

void heard(int line, int count) {
    check(line, "begins", begins.exchange(0), count);
    check(line, "ends", ends.exchange(0), count);
}

void on_begin() {
    begins++;
    ask();
    if (!begin_now.exchange(false)) return;
    if (is("exit")) exit(7);
    if (is("_exit")) _exit(8);
    if (is("abort")) abort();
    if (is("throw")) throw std::runtime_error("nobody catches it");
    if (is("longjmp")) longjmp(out, 1);
    if (is("pthread-exit")) pthread_exit((void *)3);
    if (is("recurse")) {
        int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
#pragma omp critical
            inside++;
            sum += omp_get_thread_num() + 1;
        }
        CHECK(sum, 3);
    }
}

void on_wait() {
    ask();
    if (counts_not || omp_get_thread_num() != wait_thread || !wait_now.exchange(false)) return;
    if (is("exit-by-worker")) exit(9);
    if (is("throw-caught")) throw std::runtime_error("from a callback");
    if (is("longjmp-wait")) longjmp(out, 1);
    if (is("block"))
        while (elsewhere < 50) usleep(1000);
}

void *one_region(void *) {
    regions(1);
    return nullptr;
}

void *many_regions(void *) {
    counts_not = true;
    for (int i = 0; i < 50; i++) {
        // From one thread: the runtime may still be busy with the region whose member waits.
#pragma omp parallel num_threads(1)
        __asm__ volatile("" ::: "memory");
        elsewhere++;
    }
    return nullptr;
}

int run() {
    pthread_t thread;
    void *result = nullptr;
    if (is("exit") || is("_exit") || is("abort") || is("throw")) {
        begin_now = true;
        regions(2);
    } else if (is("exit-by-worker")) {
        wait_thread = 1;
        wait_now = true;
        regions(2);
    } else if (is("longjmp")) {
        region_with_a_jump();
        // The region that was left at its start has no end event; it is discarded at the next one at the latest.
        CHECK(begins.exchange(0), 1);
        CHECK(ends.exchange(0), 0);
        regions(1);
#if FACE != 3 && defined(__clang__)
        // LLVM's runtime learns of it in another way, so that its events are not reported either.
        begins = 1;
#endif
        CHECK(begins.exchange(0), 1);
        ends = 0;
    } else if (is("longjmp-wait")) {
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0)
                barrier_with_a_jump();
            else
                by_hand();
        }
        heard(__LINE__, 1);
    } else if (is("throw-caught")) {
        int caught = 0;
        for (int round = 0; round < 10; round++) {
            wait_now = true;
#pragma omp parallel num_threads(2) reduction(+ : caught)
            try {
                barrier();
            } catch (const std::runtime_error &) {
                caught++;
                barrier();
            }
        }
        CHECK(caught, 10);
        heard(__LINE__, 10);
    } else if (is("pthread-exit")) {
        for (int round = 0; round < 5; round++) {
            begin_now = true;
            pthread_create(&thread, nullptr, one_region, nullptr);
            pthread_join(thread, &result);
            CHECK(result, 3);
        }
        CHECK(begins.exchange(0), 5);
        CHECK(ends.exchange(0), 0);
    } else if (is("block")) {
        wait_thread = 1;
        wait_now = true;
        pthread_create(&thread, nullptr, many_regions, nullptr);
        regions(1);
        pthread_join(thread, nullptr);
        heard(__LINE__, 51);
    } else if (is("recurse")) {
        for (int round = 0; round < 10; round++) {
            begin_now = true;
            regions(1);
        }
        CHECK(inside, 20);
        // Regions of the callback itself are not reported to the tool that starts them; but LLVM's runtime reports them to its tool, even
        // without us.
#if FACE == 3 && defined(__clang__)
        heard(__LINE__, 20);
#else
        heard(__LINE__, 10);
#endif
    } else {
        return 2;
    }
    regions(5);
    heard(__LINE__, 5);
    return failures != 0;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    habit = argv[1];
#ifdef __clang__
    barrier = [] {
#pragma omp barrier
    };
#else
    // The compiler assumes that its own calls can't throw; one through a pointer may.
    void *symbol = dlsym(RTLD_DEFAULT, "GOMP_barrier");
    if (!symbol) return 2;
    memcpy(&barrier, &symbol, sizeof barrier);
#endif
    attach();
    atexit([] { fflush(stdout); });
    return run();
}
