#include "trace.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Pages are touched only when they are filled. */
#define SLOTS (1u << 20)
#define EVENTS 64
#define LIVING 4096

struct slot {
    struct trace_record record;
    int32_t tid;
    int32_t done;
};

static struct slot *slots;
static uint64_t next_slot;
static int answers[EVENTS];
static const char *complaint;
static const char *habit_name;
static int main_tid;
static int living[LIVING], living_count, living_arranged;

static int thread_id(void) { return (int)syscall(SYS_gettid); }

static void note_thread(int tid) {
    int i;
    for (i = 0; i < living_count; i++)
        if (living[i] == tid) return;
    if (living_count < LIVING) living[living_count++] = tid;
}

/* Runs before the library's own exit handler, because it is registered in the middle of the program: a thread that has ended by then has
 * had every chance to report its last events. The kernel's list is truncated if a thread ends while it is read, so it is read more than
 * once. */
static void note_living_threads(void) {
    int times;
    for (times = 0; times < 4; times++) {
        DIR *threads = opendir("/proc/self/task");
        const struct dirent *entry;
        if (!threads) return;
        while ((entry = readdir(threads)) != NULL)
            if (entry->d_name[0] != '.') note_thread(atoi(entry->d_name));
        closedir(threads);
    }
}

static void write_out(void) {
    char path[4096];
    FILE *file;
    uint64_t count = __atomic_load_n(&next_slot, __ATOMIC_ACQUIRE), i;
    snprintf(path, sizeof path, "%s.%d", getenv("ORA_TEST_TRACE"), (int)getpid());
    file = fopen(path, "w");
    if (!file) {
        perror(path);
        return;
    }
    fprintf(file, "# habit %s\n# main %d\n# lost %llu\n", habit_name, main_tid,
            (unsigned long long)(count > SLOTS ? count - SLOTS : 0));
    for (i = 0; i < (uint64_t)living_count; i++) fprintf(file, "# alive %d\n", living[i]);
    if (complaint) fprintf(file, "# complaint %s\n", complaint);
    for (i = 0; i < EVENTS; i++)
        if (answers[i] >= 0) fprintf(file, "# answer %d %d\n", (int)i, answers[i]);
    for (i = 0; i < count && i < SLOTS; i++) {
        const struct slot *s = &slots[i];
        /* A thread that is still running may be in the middle of its record, which is not part of the trace. */
        if (!__atomic_load_n(&s->done, __ATOMIC_ACQUIRE)) continue;
        fprintf(file, "%llu %d %d %d %d %llu %llu %d %llu %d %llu %llu\n", (unsigned long long)i, s->tid, s->record.event,
                s->record.state, s->record.state_ec, (unsigned long long)s->record.wait,
                (unsigned long long)s->record.prid, s->record.prid_ec, (unsigned long long)s->record.parent,
                s->record.parent_ec, (unsigned long long)s->record.task, (unsigned long long)s->record.creator);
    }
    fclose(file);
}

void trace_open(const char *habit) {
    void *memory;
    int i;
    for (i = 0; i < EVENTS; i++) answers[i] = -1;
    habit_name = habit;
    main_tid = thread_id();
    if (!getenv("ORA_TEST_TRACE")) return;
    memory = mmap(NULL, SLOTS * sizeof(struct slot), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("no memory for the trace");
        abort();
    }
    slots = (struct slot *)memory;
    atexit(write_out);
}

void trace_add(const struct trace_record *record) {
    uint64_t i;
    if (!slots) return;
    if (record->event && !__atomic_load_n(&living_arranged, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&living_arranged, 1, __ATOMIC_RELAXED))
        atexit(note_living_threads);
    i = __atomic_fetch_add(&next_slot, 1, __ATOMIC_ACQ_REL);
    if (i >= SLOTS) return;
    slots[i].record = *record;
    slots[i].tid = thread_id();
    __atomic_store_n(&slots[i].done, 1, __ATOMIC_RELEASE);
}

void trace_answer(int event, int ec) {
    if (event >= 0 && event < EVENTS) answers[event] = ec;
}

void trace_complain(const char *words) { __atomic_store_n(&complaint, words, __ATOMIC_RELEASE); }

int trace_wants_events(void) {
    const char *wish = getenv("TRACE_EVENTS");
    return !wish || strcmp(wish, "none") != 0;
}
