/* The storm: a timer for each thread, the handler, the file of counts (STORM_COUNTS). */
#include "storm.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* At 10,000 signals a second each, more threads than this would leave no time for the program. */
enum { PERIOD = 100000, VALUES = 24, MOST_TIMERS = 16 };

/* The file: counts, followed by errors: the number of each, and the first one. */
struct wrong {
    uint64_t count, values[VALUES];
};
struct file {
    uint64_t counts[COUNTS];
    struct wrong wrong[RULES];
};

static struct file *file;
static uintptr_t text_begin, text_end;
static int running, timers;
static void (*tr2_asks)(struct tr2_answers *);
static pthread_key_t end_of_thread;
static int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

void storm_add(enum storm_count count, uint64_t number) {
    if (file) __atomic_fetch_add(&file->counts[count], number, __ATOMIC_RELAXED);
}

void storm_count(enum storm_count count) { storm_add(count, 1); }

void storm_lend_tr2(void (*ask)(struct tr2_answers *)) { __atomic_store_n(&tr2_asks, ask, __ATOMIC_RELEASE); }

void storm_wrong(enum storm_rule rule, const struct ora_answers *ora, const struct tr2_answers *tr2,
                 const struct five_answers *five) {
    struct wrong *wrong = &file->wrong[rule];
    const uint64_t values[VALUES] = {
        (uint64_t)ora->first.state, ora->first.wait, ora->first.region, ora->parent, (uint64_t)ora->parent_told, ora->first.task,
        ora->creator, (uint64_t)tr2->there, (uint64_t)tr2->state, tr2->wait, tr2->region[0], tr2->region[1], tr2->task[0],
        tr2->task[1], tr2->thread, (uint64_t)tr2->size, (uint64_t)five->there, (uint64_t)five->state, five->wait,
        (uint64_t)five->region[0], (uint64_t)five->task[0], (uint64_t)five->size};
    if (__atomic_fetch_add(&wrong->count, 1, __ATOMIC_RELAXED) == 0) memcpy(wrong->values, values, sizeof values);
}

void storm_forbidden(enum storm_rule rule) {
    if (file) __atomic_fetch_add(&file->wrong[rule].count, 1, __ATOMIC_RELAXED);
}

static void on_signal(int number, siginfo_t *info, void *context) {
    const int saved = errno;
    const uintptr_t at = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.STORM_PLACE;
    struct ora_answers ora;
    struct tr2_answers tr2;
    struct five_answers five;
    void (*ask_tr2)(struct tr2_answers *);
    (void)number;
    if (!__atomic_load_n(&running, __ATOMIC_RELAXED)) return;
    memset(&ora, 0, sizeof ora);
    memset(&tr2, 0, sizeof tr2);
    memset(&five, 0, sizeof five);
    storm_count(DELIVERED);
    storm_add(ASKED, 1 + (uint64_t)(info->si_code == SI_TIMER ? info->si_overrun : 0));
    if (at >= text_begin && at < text_end) storm_count(IN_OUR_CODE);
    ask_tr2 = __atomic_load_n(&tr2_asks, __ATOMIC_ACQUIRE);
    guard_begin();
    ora_ask_before(&ora);
    if (ask_tr2) ask_tr2(&tr2);
    five_ask(&five);
    ora_ask_after(&ora);
    guard_allow_a_call();
    five_ask_the_system(&five);
    guard_end();
    judge(&ora, &tr2, &five);
    errno = saved;
}

/* The calling thread is interrupted from now on. */
static void interrupt_me(void) {
    struct sigevent to;
    const struct itimerspec every = {{0, PERIOD}, {0, PERIOD}};
    timer_t timer;
    if (__atomic_add_fetch(&timers, 1, __ATOMIC_RELAXED) > MOST_TIMERS) {
        __atomic_fetch_sub(&timers, 1, __ATOMIC_RELAXED);
        storm_count(NO_TIMERS);
        return;
    }
    memset(&to, 0, sizeof to);
    to.sigev_notify = SIGEV_THREAD_ID;
    to.sigev_signo = SIGPROF;
    to.sigev_notify_thread_id = (int)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &to, &timer) != 0) {
        __atomic_fetch_sub(&timers, 1, __ATOMIC_RELAXED);
        storm_count(NO_TIMERS);
        return;
    }
    storm_count(TIMERS);
    guard_me();
    pthread_setspecific(end_of_thread, (void *)((uintptr_t)timer << 3 | 1));
    timer_settime(timer, 0, &every, NULL);
}

/* A process has a limited number of timers: each thread deletes its own when it ends, but only in the last round of destructors, so that
 * its end is interrupted as well. The low bits count the rounds. */
static void forget(void *value) {
    const uintptr_t word = (uintptr_t)value;
    if ((word & 7) < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_of_thread, (void *)(word + 1));
    } else {
        timer_delete((timer_t)(word >> 3));
        guard_me_no_more();
        __atomic_fetch_sub(&timers, 1, __ATOMIC_RELAXED);
    }
}

struct start {
    void *(*run)(void *);
    void *with;
};

static void *begin(void *memory) {
    const struct start start = *(struct start *)memory;
    free(memory);
    interrupt_me();
    return start.run(start.with);
}

/* Called by the program, its runtime, and all others that create threads. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *with) {
    struct start *start;
    int failed;
    if (!real_create) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&real_create, &symbol, sizeof real_create);
    }
    start = running ? (struct start *)malloc(sizeof *start) : NULL;
    if (!start) return real_create(thread, attributes, run, with);
    start->run = run;
    start->with = with;
    failed = real_create(thread, attributes, begin, start);
    if (failed) free(start);
    return failed;
}

static int look_for_text(struct dl_phdr_info *object, size_t size, void *inside) {
    const uintptr_t address = *(const uintptr_t *)inside;
    int i;
    (void)size;
    for (i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || address < start || address >= start + part->p_memsz) continue;
        text_begin = start;
        text_end = start + part->p_memsz;
        return 1;
    }
    return 0;
}

static int open_file(void) {
    const char *path = getenv("STORM_COUNTS");
    const int handle = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    void *memory;
    if (handle < 0 || ftruncate(handle, sizeof(struct file)) != 0) return 0;
    memory = mmap(NULL, sizeof(struct file), PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    close(handle);
    if (memory == MAP_FAILED) return 0;
    file = (struct file *)memory;
    return 1;
}

__attribute__((constructor)) static void attach(void) {
    struct sigaction action;
    uintptr_t inside = (uintptr_t)dlsym(RTLD_DEFAULT, "__omp_collector_api");
    if (!open_file() || !ora_start()) return;
    dl_iterate_phdr(look_for_text, &inside);
    pthread_key_create(&end_of_thread, forget);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(SIGPROF, &action, NULL);
    guard_open();
    running = 1;
    interrupt_me();
}

/* The session ends next. */
__attribute__((destructor)) static void detach(void) { __atomic_store_n(&running, 0, __ATOMIC_RELAXED); }
