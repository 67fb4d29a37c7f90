// Programs that a sampler must cope with; the first argument says which one. First prints the addresses of `heavy` and `light`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
#define IN(section_name) __attribute__((noinline, noclone, section(#section_name)))
extern char __start_heavy_code[], __stop_heavy_code[], __start_light_code[], __stop_light_code[];

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void nap(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&t, &t))
    ;
}

IN(heavy_code) void heavy(long steps) {
  for (volatile long i = 0; i < steps; i++)
    ;
}

IN(light_code) void light(long steps) {
  for (volatile long i = 0; i < steps; i++)
    ;
}

// 70 % and 30 % of the steps, until that much CPU time is used.
static void split(double seconds) {
  for (double end = cpu_s() + seconds; cpu_s() < end;) {
    heavy(70000);
    light(30000);
  }
}

static void busy(double seconds) {
  for (double end = cpu_s() + seconds; cpu_s() < end;)
    heavy(10000);
}

static void team(double seconds) {
#pragma omp parallel num_threads(2)
  split(seconds);
}

// A frame that can't be found by an offset from a register, as it is aligned.
__attribute__((noinline)) void aligned(double seconds) {
  volatile char block[64] __attribute__((aligned(64)));
  block[0] = 1;
  busy(seconds);
  if (block[0] != 1)
    abort();
}

static void on_usr1(int signal) {
  (void)signal;
  aligned(0.2);
}

static int compare(const void *a, const void *b) {
  busy(0.02);
  return *(const int *)a - *(const int *)b;
}

static void *thread(void *argument) {
  busy(0.1);
  return argument;
}

static int c11_thread(void *argument) {
  busy(0.1);
  return *(int *)argument;
}

static void *leaver(void *argument) {
  busy(0.05);
  pthread_exit(argument);
}

static void *sleeper(void *argument) {
  pause();
  return argument;
}

// An alternate stack with room for hardly more than the kernel's frame.
static void narrow(double seconds) {
  long frame = (long)getauxval(AT_MINSIGSTKSZ);
  size_t size = ((frame > 2048 ? frame : 2048) / 4096 + 1) * 4096;
  char *memory = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory, 4096, PROT_NONE);
  stack_t stack = {.ss_sp = memory + 4096, .ss_size = size};
  if (sigaltstack(&stack, NULL))
    abort();
  busy(seconds);
}

// Each depth has a different stack.
static __attribute__((noinline)) void down(int depth, double seconds) {
  if (depth)
    down(depth - 1, seconds);
  else
    busy(seconds);
  __asm__ volatile("");
}

static void keep_own(int signal) {
  (void)signal;
  // Nobody sends it.
  printf("a signal came\n");
}

static int threads(void) {
  pthread_t all[3];
  int tokens[3];
  pthread_attr_t small;
  void *result;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  pthread_create(&all[0], &small, thread, &tokens[0]);
  pthread_create(&all[1], NULL, leaver, &tokens[1]);
  pthread_create(&all[2], NULL, sleeper, &tokens[2]);
  int wrong = 0;
  pthread_cancel(all[2]);
  for (int i = 0; i < 3; i++) {
    pthread_join(all[i], &result);
    wrong |= result != (i == 2 ? PTHREAD_CANCELED : &tokens[i]);
  }
  thrd_t other;
  int answer = 5, got = 0;
  wrong |= thrd_create(&other, c11_thread, &answer) || thrd_join(other, &got) || got != 5;
  // A stack of a size that can't be allocated.
  pthread_attr_setstacksize(&small, (size_t)1 << 46);
  return wrong || pthread_create(&all[0], &small, thread, NULL) == 0;
}

int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "";
  printf("%p %p %p %p\n", (void *)__start_heavy_code, (void *)__stop_heavy_code, (void *)__start_light_code,
         (void *)__stop_light_code);
  fflush(stdout);
  if (!strcmp(how, "split"))
    team(atof(words[2]));
  if (!strcmp(how, "sleep")) {
    // One thread sleeps, the other waits for it; then one works and the pool is idle.
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0)
        nap(400);
#pragma omp barrier
      busy(0.05);
    }
    nap(200);
    busy(0.1);
    team(0.02);
  }
  if (!strcmp(how, "plain"))
    busy(0.3);
  if (!strcmp(how, "depths")) {
    // Through the code of a library, the frame of a signal, and an aligned frame.
    int numbers[4] = {3, 1, 2, 0};
    qsort(numbers, 4, sizeof *numbers, compare);
    signal(SIGUSR1, on_usr1);
    raise(SIGUSR1);
    aligned(0.2);
  }
  if (!strcmp(how, "threads"))
    return threads();
  if (!strcmp(how, "fork")) {
    busy(0.1);
    pid_t child = fork();
    if (!child) {
      team(0.2);
      _exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    busy(0.1);
    return WEXITSTATUS(status);
  }
  if (!strcmp(how, "exec")) {
    busy(0.1);
    execl(words[0], words[0], "plain", (char *)NULL);
  }
  if (!strcmp(how, "_exit")) {
    team(0.2);
    _exit(7);
  }
  if (!strcmp(how, "kill")) {
    team(0.2);
    raise(SIGKILL);
  }
  if (!strcmp(how, "closer")) {
    // Closes descriptors that the program does not know; the profile goes on.
    for (int i = 3; i < 100; i++)
      close(i);
    team(0.2);
  }
  if (!strcmp(how, "block")) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    team(0.2);
  }
  if (!strcmp(how, "own")) {
    signal(SIGPROF, keep_own);
    team(0.2);
  }
  if (!strcmp(how, "default")) {
    struct sigaction asked;
    if (sigaction(SIGPROF, NULL, &asked) || asked.sa_handler != SIG_DFL || signal(SIGPROF, SIG_DFL) != SIG_DFL)
      return 1;
    busy(0.3);
  }
  if (!strcmp(how, "narrow"))
    narrow(0.3);
  if (!strcmp(how, "raise"))
    raise(SIGPROF);
  if (!strcmp(how, "load")) {
    void *library = dlopen(words[2], RTLD_NOW);
    if (count > 3)
      unlink(words[2]);
    void (*callback)(void (*)(double), double) = (void (*)(void (*)(double), double))dlsym(library, "call");
    callback(busy, 0.3);
    dlclose(library);
    busy(0.1);
  }
  if (!strcmp(how, "regions")) {
    volatile int sink = 0;
    for (double end = cpu_s() + 1; cpu_s() < end;)
      for (int i = 0; i < 1000; i++) {
#pragma omp parallel num_threads(1)
        sink++;
      }
  }
  if (!strcmp(how, "deeps")) {
#pragma omp parallel num_threads(2)
    {
      unsigned seed = (unsigned)omp_get_thread_num();
      for (double end = cpu_s() + 0.75; cpu_s() < end;)
        down(500 + rand_r(&seed) % 480, 0.004);
    }
  }
  if (!strcmp(how, "nested")) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
      busy(0.2);
    }
  }
  return 0;
}
