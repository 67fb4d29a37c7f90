// Hangs of C++ programs and of forked children, by the first argument.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static std::mutex cache;
static std::recursive_mutex database;
static std::shared_mutex table;
static long total;

static void ready() {
    puts("ready");
    fflush(stdout);
}

static long add_up() {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 100; i++)
        sum += i;
    return sum;
}

// Waits until both threads have what the other one will ask for.
static void meet() {
    static std::atomic<int> arrived;
    for (arrived++; arrived < 2;)
        usleep(1000);
}

template <typename Mutex> static void thumbnail(Mutex &mutex) {
    std::unique_lock<Mutex> hold(mutex);
    meet();
#pragma omp critical(pipe)
    total++;
}

template <typename Mutex> static void mixed(Mutex &mutex) {
    std::thread job([&] { thumbnail(mutex); });
#pragma omp critical(pipe)
    {
        meet();
        std::lock_guard<Mutex> hold(mutex);
        total++;
    }
    job.join();
}

// Tasks that wait for a task which no thread is left to execute.
static void poll_flag() {
    int is_set = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 2; i++) {
#pragma omp task shared(is_set)
            for (int seen = 0; !seen;) {
#pragma omp taskyield
#pragma omp atomic read
                seen = is_set;
            }
        }
#pragma omp task shared(is_set)
        {
#pragma omp atomic write
            is_set = 1;
        }
    }
}

static bool enters;
struct Files {
    ~Files() {
        if (!enters)
            return;
#pragma omp critical
        total++;
    }
} files;

static void at_exit() {
#pragma omp critical(files)
    total++;
}

static void keep_files() {
#pragma omp critical(files)
    {
        meet();
        pause();
    }
}

static void child() {
    total += add_up();
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // it must not outlive the test
        exit(add_up() == 0);
    }
    wait(nullptr);
}

// The second process that is forked has a thread of its own, which is given the memory of one of its parent's pool.
static void grandchild() {
    total += add_up();
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            std::thread(pause).detach();
            exit(add_up() == 0);
        }
        wait(nullptr);
    }
    wait(nullptr);
}

static void child_of_thread() {
    std::thread([] { child(); }).join();
}

int main(int, char **words) {
    const char *how = words[1];
    ready();
    if (!strcmp(how, "mixed"))
        mixed(cache);
    else if (!strcmp(how, "recursive"))
        mixed(database);
    else if (!strcmp(how, "shared"))
        mixed(table);
    else if (!strcmp(how, "poll"))
        poll_flag();
    else if (!strcmp(how, "destructor")) {
        enters = true;
#pragma omp critical
        exit(3);
    } else if (!strcmp(how, "atexit")) {
        atexit(at_exit);
#pragma omp parallel num_threads(2)
#pragma omp critical(files)
        exit(3);
    } else if (!strcmp(how, "other_section")) {
        atexit(at_exit);
        std::thread(keep_files).detach();
        meet();
#pragma omp critical(other)
        exit(3);
    } else if (!strcmp(how, "child"))
        child();
    else if (!strcmp(how, "grandchild"))
        grandchild();
    else if (!strcmp(how, "child_of_thread"))
        child_of_thread();
    return 0;
}
