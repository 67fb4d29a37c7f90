/* Runs a golden script: bytes in, bytes out, for `__omp_collector_api`.
 *
 * A script is a text of lines:
 *   case NAME            what follows belongs to this claim
 *   in TOKENS            the list that is handed over; it ends right before a page that can't be touched
 *   out TOKENS           what must be there afterwards; `out unchanged` for not a byte
 *   ret N                makes the call and compares; the return value must be N
 *   call-null N          the same with NULL for the list
 *   place PLACE          cases up to the next `place` run there: serial, master, worker (of a team of two), thread (one
 *                        that OpenMP doesn't know), ebar, fork, idle (inside of that event's callback, once)
 *   region               runs a region of two threads
 *   called NAME N        the callback has run N times since this was last asked
 * Tokens: a number is 32 bits; fill:N are N bytes of rubbish; any:N are N bytes that are not compared;
 *   ptr:cb, ptr:other    8 bytes: address of a callback in this program
 *   ptr:code             of one in memory that was made executable at run time
 *   ptr:data, ptr:null   of a variable; null
 *   twin                 12 bytes that hold the address of code (`first`) in the first 8 and of other code (`second`) in
 *                        the last 8
 *   prid                 8 bytes: the id of the latest region this program has run */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <pthread.h>
#include <unistd.h>

#include "white_paper.h"

enum { CALLBACKS = 5, LINE = 1000, BYTES = 4096, LINES = 2000 };
static const char *const names[CALLBACKS] = {"cb", "other", "code", "first", "second"};
static int calls[CALLBACKS];

static collector_api api;
static char *lines[LINES];
static int line_count, failures, cases;
static char case_name[LINE], in[LINE];
static char *guard;
static uint64_t address_of_code, address_of_first = 0x7abc00001000, address_of_second = 0x123400007abc;
/* Not constant: linkers may put constants beside the code. */
static int data = 1;

/* The event whose callback runs a block of cases, and that block. */
static int place_event, block_from, block_to;
static uint64_t latest_region;

static void run_block(int from, int to);

static void callback(int event) {
    __atomic_fetch_add(&calls[0], 1, __ATOMIC_RELAXED);
    if (event == EVENT_FORK) {
        int list[] = {24, REQ_CURRENT_PRID, 0, 0, 0, 0, 0};
        api(list);
        memcpy(&latest_region, &list[4], sizeof latest_region);
    }
    /* Both threads of a team may reach this simultaneously. */
    if (__atomic_compare_exchange_n(&place_event, &event, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        run_block(block_from, block_to);
}

static void other_callback(int event) {
    (void)event;
    __atomic_fetch_add(&calls[1], 1, __ATOMIC_RELAXED);
}

static void die(const char *what, const char *line) {
    fprintf(stderr, "%s: %s\n", what, line);
    exit(2);
}

/* Writes a function that increments the counter. */
static void write_code(uint64_t at, int *counter) {
#ifdef __aarch64__
    /* ldr x16, .+20; ldr w17, [x16]; add w17, w17, #1; str w17, [x16]; ret; the counter's address */
    static const uint32_t begin[] = {0x580000b0, 0xb9400211, 0x11000631, 0xb9000211, 0xd65f03c0}, rest[] = {0xd503201f};
#else
    /* movabs counter, %rax; lock incl (%rax); ret */
    static const unsigned char begin[] = {0x48, 0xb8}, rest[] = {0xf0, 0xff, 0x00, 0xc3};
#endif
    char *page = (char *)(at & ~(uint64_t)0xfff), *code = (char *)at;
    if (mmap(page, 0x1000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != page)
        die("no memory for code", "");
    memcpy(code, begin, sizeof begin);
    memcpy(code + sizeof begin, &counter, sizeof counter);
    memcpy(code + sizeof begin + sizeof counter, rest, sizeof rest);
    __builtin___clear_cache(code, code + sizeof begin + sizeof counter + sizeof rest);
    mprotect(page, 0x1000, PROT_READ | PROT_EXEC);
}

static size_t put_pointer(const char *name, unsigned char *at) {
    event_callback cb = callback, other = other_callback;
    const void *variable = &data;
    memset(at, 0, 8);
    if (strcmp(name, "cb") == 0) memcpy(at, &cb, 8);
    else if (strcmp(name, "other") == 0) memcpy(at, &other, 8);
    else if (strcmp(name, "code") == 0) memcpy(at, &address_of_code, 8);
    else if (strcmp(name, "data") == 0) memcpy(at, &variable, 8);
    else if (strcmp(name, "null") != 0) die("no such pointer", name);
    return 8;
}

/* Bytes of a line of tokens; `known[i]` is true if byte i is to be compared. */
static size_t assemble(const char *text, unsigned char *bytes, bool *known) {
    char copy[LINE], *rest = copy, *token;
    size_t length = 0, n;
    snprintf(copy, sizeof copy, "%s", text);
    memset(known, 1, BYTES);
    while ((token = strtok_r(rest, " ", &rest)) != NULL) {
        unsigned char *at = bytes + length;
        if (strncmp(token, "fill:", 5) == 0) memset(at, 0xa5, n = strtoul(token + 5, NULL, 10));
        else if (strncmp(token, "any:", 4) == 0) memset(known + length, 0, n = strtoul(token + 4, NULL, 10));
        else if (strncmp(token, "ptr:", 4) == 0) n = put_pointer(token + 4, at);
        else if (strcmp(token, "prid") == 0) memcpy(at, &latest_region, n = 8);
        else if (strcmp(token, "twin") == 0) {
            memcpy(at, &address_of_first, 8);
            memcpy(at + 4, &address_of_second, 8);
            n = 12;
        } else {
            char *end;
            const long value = strtol(token, &end, 0);
            const int32_t word = (int32_t)value;
            if (*end) die("no such token", token);
            memcpy(at, &word, n = 4);
        }
        length += n;
    }
    return length;
}

static void compare(const char *out, int wanted) {
    unsigned char before[BYTES], after[BYTES];
    bool known[BYTES];
    const size_t length = assemble(in, before, known), end = assemble(strcmp(out, "unchanged") ? out : in, after, known);
    unsigned char *list = (unsigned char *)guard - length;
    size_t i;
    int got;
    if (end != length) die("in and out differ in length", case_name);
    memset(guard - BYTES, 0xa5, BYTES);
    memcpy(list, before, length);
    got = api(list);
    cases++;
    if (got != wanted) {
        printf("FAIL %s: returned %d, not %d\n", case_name, got, wanted);
        failures++;
    }
    for (i = 0; i < length; i++)
        if (known[i] && list[i] != after[i]) {
            printf("FAIL %s: byte %zu of the list is %#x, not %#x\n", case_name, i, list[i], after[i]);
            failures++;
            return;
        }
    for (list = (unsigned char *)guard - BYTES; list < (unsigned char *)guard - length; list++)
        if (*list != 0xa5) {
            printf("FAIL %s: bytes before the list were written\n", case_name);
            failures++;
            return;
        }
}

static void region(void) {
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
    { __asm__ volatile("" ::: "memory"); }
#else
    die("no region without OpenMP", case_name);
#endif
}

static void check_calls(const char *text) {
    char name[LINE];
    int wanted, i;
    if (sscanf(text, "%s %d", name, &wanted) != 2) die("bad line", text);
    for (i = 0; i < CALLBACKS && strcmp(names[i], name) != 0;) i++;
    if (i == CALLBACKS) die("no such callback", text);
    cases++;
    if (calls[i] != wanted) {
        printf("FAIL %s: %s was called %d times, not %d\n", case_name, name, calls[i], wanted);
        failures++;
    }
    calls[i] = 0;
}

static void run_block(int from, int to) {
    char out[LINE] = "unchanged";
    int i;
    for (i = from; i < to; i++) {
        const char *line = lines[i];
        if (strncmp(line, "case ", 5) == 0) snprintf(case_name, LINE, "%s", line + 5);
        else if (strncmp(line, "in ", 3) == 0) snprintf(in, LINE, "%s", line + 3);
        else if (strncmp(line, "out ", 4) == 0) snprintf(out, LINE, "%s", line + 4);
        else if (strncmp(line, "ret ", 4) == 0) compare(out, atoi(line + 4));
        else if (strcmp(line, "region") == 0) region();
        else if (strncmp(line, "called ", 7) == 0) check_calls(line + 7);
        else if (strncmp(line, "call-null ", 10) == 0) {
            cases++;
            if (api(NULL) != atoi(line + 10)) printf("FAIL %s: NULL\n", case_name), failures++;
        } else die("bad line", line);
    }
}

static void *run_on_thread(void *unused) {
    run_block(block_from, block_to);
    return unused;
}

static void run_at(const char *place, int from, int to) {
    block_from = from;
    block_to = to;
    if (strcmp(place, "serial") == 0) run_block(from, to);
    else if (strcmp(place, "thread") == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_on_thread, NULL) != 0) die("no thread", place);
        pthread_join(thread, NULL);
    }
#ifdef _OPENMP
    else if (strcmp(place, "master") == 0 || strcmp(place, "worker") == 0) {
        const bool worker = *place == 'w';
        int mine = 0;
#pragma omp parallel num_threads(2) firstprivate(mine)
        {
            if (worker) mine = 1;
#pragma omp masked filter(mine)
            run_block(from, to);
        }
    } else {
        const int event = strcmp(place, "ebar") == 0   ? EVENT_BEGIN_EBAR
                          : strcmp(place, "fork") == 0 ? EVENT_FORK
                          : strcmp(place, "idle") == 0 ? EVENT_BEGIN_IDLE
                                                       : 0;
        if (!event) die("no such place", place);
        place_event = event;
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
            if (event != EVENT_BEGIN_EBAR) __asm__ volatile("" ::: "memory");
        }
        /* A worker becomes idle a little after the end of the region. */
        for (int i = 0; i < 2000 && __atomic_load_n(&place_event, __ATOMIC_ACQUIRE); i++) usleep(1000);
        if (place_event) die("the event never came", place);
        usleep(20000);
    }
#else
    else die("no such place without OpenMP", place);
#endif
}

int main(int argc, char **argv) {
    char text[LINE], place[LINE] = "serial";
    FILE *script = argc == 2 ? fopen(argv[1], "r") : NULL;
    int i, from = 0;
    if (!script) die("can't read the script", argc == 2 ? argv[1] : "");
    while (fgets(text, sizeof text, script) && line_count < LINES) {
        text[strcspn(text, "#\n")] = 0;
        for (i = (int)strlen(text); i > 0 && text[i - 1] == ' ';) text[--i] = 0;
        if (text[0]) lines[line_count++] = strdup(text);
    }
    guard = (char *)mmap(NULL, 3 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 2 * BYTES;
    mprotect(guard, BYTES, PROT_NONE);
    address_of_code = 0x2000000000;
    write_code(address_of_code, &calls[2]);
    write_code(address_of_first, &calls[3]);
    write_code(address_of_second, &calls[4]);
    api = find_collector_api();
    if (!api) die("no library with the interface is loaded", "");
    for (i = 0; i <= line_count; i++)
        if (i == line_count || strncmp(lines[i], "place ", 6) == 0) {
            if (i > from) run_at(place, from, i);
            if (i < line_count) snprintf(place, LINE, "%s", lines[i] + 6);
            from = i + 1;
        }
    printf("%d cases, %d failures\n", cases, failures);
    return failures ? 1 : 0;
}
