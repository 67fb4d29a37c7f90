/* While a thread makes queries, it must make no system calls, take no locks and allocate no memory: each system call would raise a
 * signal (syscall user dispatch, Linux 5.11), and the allocator's and the locks' functions are replaced by these. Queries that only the
 * system can answer come last, when system calls are allowed, but neither locks nor memory. */
#include "storm.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

enum { ALLOWED = 0, BLOCKED = 1 };

/* Read by the kernel when this thread makes a system call. */
static __thread volatile char calling __attribute__((tls_model("initial-exec")));
/* True while the thread makes queries. */
static __thread volatile char asking __attribute__((tls_model("initial-exec")));
static int sins;

static void on_call(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    calling = ALLOWED;
    storm_forbidden(SYSTEM_CALLED);
    ((ucontext_t *)context)->uc_mcontext.STORM_RESULT = -ENOSYS;
}

void guard_open(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSYS, &action, NULL);
    sins = getenv("STORM_SINS") != NULL;
}

void guard_me(void) {
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0L, 0L, &calling) == 0) storm_count(GUARDED);
}

/* The thread ends, and its memory with it. */
void guard_me_no_more(void) { prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0L, 0L, 0L); }

/* Does what is forbidden, so that a test can check that it is detected. The thread may be in malloc: only a request that is too large is
 * refused before malloc takes its lock. */
static void do_all_that(void) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static volatile size_t too_many = SIZE_MAX;
    void *volatile memory = malloc(too_many);
    free(memory);
    if (pthread_mutex_trylock(&mutex) == 0) pthread_mutex_unlock(&mutex);
    getppid();
}

void guard_begin(void) {
    asking = calling = BLOCKED;
    if (sins) do_all_that();
}

void guard_allow_a_call(void) { calling = ALLOWED; }

void guard_end(void) { asking = calling = ALLOWED; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
extern int __pthread_mutex_lock(pthread_mutex_t *);
extern int __pthread_mutex_trylock(pthread_mutex_t *);

static void ask_for(enum storm_rule what) {
    if (asking != ALLOWED) storm_forbidden(what);
}

void *malloc(size_t size) {
    ask_for(MEMORY_ASKED_FOR);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    ask_for(MEMORY_ASKED_FOR);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    ask_for(MEMORY_ASKED_FOR);
    return __libc_realloc(memory, size);
}

void free(void *memory) {
    ask_for(MEMORY_ASKED_FOR);
    __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    ask_for(LOCK_TAKEN);
    return __pthread_mutex_lock(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    ask_for(LOCK_TAKEN);
    return __pthread_mutex_trylock(mutex);
}
