// Programs that a clock faster than the kernel's tick must not disturb; the first argument says which one.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void busy(double seconds) {
  for (double end = cpu_s() + seconds; cpu_s() < end;)
    for (volatile int i = 0; i < 10000; i++)
      ;
}

static char **arguments;

static void *burn(void *endless) {
  do
    busy(0.01);
  while (endless);
  return NULL;
}

static void block(int how) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(how, &all, NULL);
}

// Executes the same program again with a smaller number, from its first thread or from another one; the last time with signals pending that
// have no handler.
static void *again(void *raw) {
  char left[16];
  snprintf(left, sizeof left, "%d", atoi(arguments[2]) - 1);
  if (!strcmp(left, "0")) {
    unsetenv("LD_PRELOAD");
    block(SIG_BLOCK);
  }
  busy(0.003);
  if (raw)
    syscall(SYS_execve, arguments[0], (char *[]){arguments[0], arguments[1], left, NULL}, environ);
  else
    execl("/no/such/program", "program", (char *)NULL), execl(arguments[0], arguments[0], arguments[1], left, (char *)NULL);
  exit(9);
}

static int chain(void) {
  int left = atoi(arguments[2]);
  pthread_t thread;
  block(SIG_UNBLOCK);
  if (left == 0)
    return 0;
  for (int i = 0; i < left % 3; i++)
    pthread_create(&thread, NULL, burn, arguments);
  if (left % 2) {
    pthread_create(&thread, NULL, again, left % 4 == 1 ? arguments : NULL);
    pthread_join(thread, NULL);
  }
  again(left % 4 == 0 ? arguments : NULL);
  return 9;
}

// Blocks all signals for so long that the queue of signals overflows.
static int blocked(void) {
  setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){8, 8});
  block(SIG_BLOCK);
  busy(0.2);
  block(SIG_UNBLOCK);
  busy(0.1);
  return 0;
}

// Calls that wait, and much time spent in the kernel.
static int naps(void) {
  struct timespec t = {0, 1000};
  for (double end = cpu_s() + 0.5; cpu_s() < end;)
    if (nanosleep(&t, NULL))
      return 1;
  return 0;
}

static int children(void) {
  char line[8] = "";
  int status;
  if (system("exit 5") != 5 << 8)
    return 1;
  FILE *pipe = popen("echo said", "r");
  if (!fgets(line, sizeof line, pipe) || strcmp(line, "said\n") || pclose(pipe))
    return 2;
  pid_t child = vfork();
  if (!child) {
    execl("/bin/true", "true", (char *)NULL);
    _exit(9);
  }
  if (waitpid(child, &status, 0) != child || status)
    return 3;
  // A child that no handler of pthread_atfork is told of, and that does not exec.
  child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (!child) {
    signal(SIGURG, SIG_IGN);
    busy(0.02);
    _exit(0);
  }
  if (waitpid(child, &status, 0) != child || status)
    return 4;
  child = fork();
  if (!child) {
    busy(0.05);
    exit(0);
  }
  return waitpid(child, &status, 0) == child && !status ? 0 : 5;
}

// A program finds no descriptors but those that it has opened itself.
static int descriptors(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, burn, NULL);
  pthread_join(thread, NULL);
  int next = dup(0);
  printf("%d\n", next);
  return fcntl(next + 1, F_GETFD) != -1;
}

// A program that uses SIGURG itself: ignores it, leaves it at its default, or counts it.
static volatile sig_atomic_t told;
static void on_urgent(int signal) {
  (void)signal;
  told++;
}
static int urgent(void) {
  struct sigaction old;
  raise(SIGURG);
  if (sigaction(SIGURG, NULL, &old) || old.sa_handler != SIG_DFL)
    return 1;
  signal(SIGURG, SIG_IGN);
  raise(SIGURG);
  busy(0.1);
  if (signal(SIGURG, SIG_DFL) != SIG_IGN)
    return 2;
  busy(0.1);
  if (signal(SIGURG, on_urgent) != SIG_DFL)
    return 3;
  busy(0.1);
  if (told)
    return 4;
  raise(SIGURG);
  return told != 1;
}

// Stacks that take longer to unwind than the time between two signals.
static __attribute__((noinline)) void down(int depth) {
  if (depth)
    down(depth - 1);
  else
    for (volatile long i = 0; i < 100000000; i++)
      ;
  __asm__ volatile("");
}

// Whether the page of an event is mapped in this process.
static int has_event(void) {
  char line[512];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    found |= strstr(line, "[perf_event]") != NULL;
  fclose(maps);
  return found;
}

// Works, then sleeps all the time, then works: 0 if there was an event when it worked, and none while it slept. On a busy machine
// few signals arrive, by which the profiler notices either.
static int sleepy(void) {
  busy(0.05);
  if (!has_event())
    return 10;
  // About 40 times in the millisecond between two signals.
  int gone = 0, turn = 0;
  for (double end = cpu_s() + 0.3; cpu_s() < end && !gone; usleep(1)) {
    for (volatile int i = 0; i < 10000; i++)
      ;
    gone = ++turn % 500 == 0 && !has_event();
  }
  if (!gone)
    return 11;
  for (int i = 0; i < 40; i++) {
    busy(0.05);
    if (has_event())
      return 0;
  }
  return 12;
}

// From here on perf_event_open is refused, as in many containers.
static int refused(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
    return 8;
  execl(arguments[0], arguments[0], "plain", (char *)NULL);
  return 9;
}

int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "";
  arguments = words;
  if (!strcmp(how, "chain"))
    return chain();
  if (!strcmp(how, "blocked"))
    return blocked();
  if (!strcmp(how, "naps"))
    return naps();
  if (!strcmp(how, "children"))
    return children();
  if (!strcmp(how, "descriptors"))
    return descriptors();
  if (!strcmp(how, "urgent"))
    return urgent();
  if (!strcmp(how, "deep"))
    down(1000);
  if (!strcmp(how, "sleepy"))
    return sleepy();
  if (!strcmp(how, "refused"))
    return refused();
  if (!strcmp(how, "later")) {
    // A thread for which no descriptor is left.
    pthread_t thread;
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
    pthread_create(&thread, NULL, burn, NULL);
    pthread_join(thread, NULL);
    busy(0.1);
    return 0;
  }
  if (!strcmp(how, "plain"))
    busy(0.5);
  return 0;
}
