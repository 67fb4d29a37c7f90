//! Text below the options in each command's `--help`: examples, and what a user needs to know at the prompt. The guide has the rest.

pub(super) const COMMAND: &str = "\
Examples:
  ora demo                          a first look at a small program; needs only gcc
  ora stat -- ./program input       where did the threads' time go?
  ora stat -r 5 -- ./program        five runs: means and standard deviations
  ora profile -- ./program          which functions, lines and regions take the time?
  ora trace -- ./program            when did each event happen, and who waited for whom?
  ora report DIR                    shows a profile or a trace
  ora tasks -- ./program            which tasks are too small, and where are they created?
  ora race -- ./program             is there a data race? Build with -fsanitize=thread
  ora attach 4711 --seconds 10      the time of a process that is already running
  ora hang 4711                     it makes no progress: who waits for whom?
  ora doctor -- ./program           can ora observe its OpenMP? If not, why?

Programs need not be recompiled; build them with -g to see source lines. `ora COMMAND --help` and the manual page
`ora-COMMAND` describe each command.

Exit code: that of the program (of several runs, the first that isn't 0). If a signal kills the program, ora ends by
the same signal. 127: program not found; 126: program can't be executed; 125: ora itself failed; 2: invalid command
line.";

/// Line below the options of `-h`.
pub(super) const BRIEF: &str = "`--help` adds examples, and what the figures mean.";

pub(super) const SCALE: &str = "\
Examples:
  ora scale -- ./program input
  ora scale -t 1,2,4,8 -r 5 -- ./program
  ora scale --json -o scale.json --svg speedup.svg -- ./program

The program runs with OMP_NUM_THREADS set to each number in turn; its stdout is untouched. With --json, use -o if the
program writes to stderr. The times are medians:
  speed-up     the wall time with the fewest threads, divided by the wall time with this number of threads
  efficiency   the speed-up, divided by the factor by which the number of threads grew; it is the product of:
  parallel     the share of the threads' wall time spent in the program's code; the rest are waits and idle time
  computation  the threads' total run time with the fewest threads, divided by that with this number. Below 100 %, they
               wait for memory or have more work to do

Exit code: the program's own if it fails, else 0; 125: ora itself failed.";

pub(super) const TUNE: &str = "\
Examples:
  ora tune -- ./program input
  ora tune --check 'grep -q \"residual 1.2e-09\"' -- ./program
  ora tune --json -o tune.json -t 1-8 -r 10 -- ./program

The program first runs under `ora stat`, which shows what is worth trying. It then runs without any library of ora,
with other numbers of threads, wait policies, schedules (if it has loops with schedule(runtime)) and bindings. A value
that is much slower gets one run. Environment variables that are already set stay as they are, except for those that
are tried. The program's input is /dev/null.

On libgomp each region is then tried with fewer threads, and its dynamic and guided loops with other chunk sizes.
Values that help are written to the file ora.tune; `ORA_TUNE=ora.tune ora run -- PROGRAM` applies them without a
rebuild (share/doc/ora/tune-file.md).

Exit code: 0, also if nothing is faster; the program's own if it fails as it is; 125: ora itself failed.";

pub(super) const STAT: &str = "\
Examples:
  ora stat -- ./program input
  ora stat -r 5 --json -o out.json -- ./program
  ora stat --no-follow -- ./script.sh
  ora stat -- mpirun -n 4 ./program         the whole job, then the ranks that differ

The table goes to stderr (or to FILE); the program's stdout is untouched. With --json, use -o if the program writes to
stderr. Times are wall-clock times of threads, from a thread's first event on; the rows add up to the time of all
threads:
  work              in a parallel region or a task, without the waits below; includes overhead that no event shows
  serial            outside of all parallel regions
  implicit barrier  at the end of a region or a work-sharing construct
  explicit barrier  in gcc's code without -g also the end of a static loop or single, which is the same call
  taskwait          also the end of a taskgroup
  lock, critical, ordered, atomic
                    waits for a lock or a turn that another thread has
  idle              a worker in the pool, between regions

A region is named by the place in the program that forks it: function and line with debug information (-g), else a
symbol, else an offset in the file. The ten regions with the largest gain or time have rows:
  threads           the size of the largest team
  work, waits       of all threads of the team, without nested regions
  imbalance         (max - mean) / max of the team's work between barriers, summed over the region's executions
  gain              the wall time that an even distribution of the work would save

Tasks that a thread executes in a wait count as work, the rest of that time as the wait. OpenMP Work is work + serial;
OpenMP Wait is all the rest. The line `watching` says how much time the measurement has added (some ten nanoseconds an
event). `no processor` is the time for which threads were ready to run, but had no processor; it is shown from 1 % on.

On a terminal the table fits its width: long names are shortened, and columns that do not fit are named below. Files
and pipes get everything, unless COLUMNS sets a width.";

pub(super) const TASKS: &str = "\
Examples:
  ora tasks -- ./program input
  ora tasks --tree --tree-max 50 -- ./program        the first 50 tasks, each below its parent
  ora tasks --tree=dot -o tasks.dot -- ./program && dot -Tsvg tasks.dot > tasks.svg
  ora tasks --json -o out.json -- ./program

The report goes to stderr (or to FILE); the program's stdout is untouched. With --json, use -o if the program writes to
stderr. Tasks are grouped by the place in the program that creates them: a source line with debug information (-g),
else a symbol, else an offset in the file. For each place:
  creation          the call that creates the task
  waiting           from the end of the creation to the start of the execution
  execution         the task's own work: without suspensions, creations of tasks, and tasks executed meanwhile
  suspension        from start to end of a taskwait, or of the wait at the end of a taskgroup
  too small         the execution took less time than the creation and the fetch from the pool
  level             1 for tasks that an implicit task creates, 2 for their children, and so on

The columns are quartiles: a quarter, half and three quarters of a place's tasks took less. The line `watching` says
how much time the measurement has added; creations and executions are without most of it. All times are wall-clock
times.

Chunks of a taskloop that run later or on another thread are shown together: their place isn't on that thread's stack.
libgomp's clean-up after a task is not visible. On a terminal the report fits its width, unless COLUMNS sets another.";

pub(super) const PROFILE: &str = "\
Examples:
  ora profile -- ./program input && ora report ora-profile
  ora profile -F 1000 -o fast -- ./program
  ora profile -- python3 -X perf script.py      with the names of Python functions (CPython 3.12 and later)
  mpirun -n 4 ora profile -o job -- ./program   one folder for all ranks

Each thread is interrupted at this rate of its CPU time; system calls are not. The time in which a thread sleeps goes
to the wait that it sleeps in, or to the region whose work it sleeps in; outside of OpenMP, to <asleep outside of
OpenMP>. DIR gets a folder for each process, which `ora report` reads. The samples stay there however the program ends.

A program that handles or blocks the signal has no samples: choose another signal. A sample that is not taken at its
time, because the thread is in the kernel or blocks the signal, or because unwinding would take more than half of the
time, adds its time to the next one.

The kernel checks timers on CPU time at its clock ticks, 100 to 1000 times a second. For higher rates, and once a
thread was taken off its processor, perf events are used where /proc/sys/kernel/perf_event_paranoid is 2 or less. Many
containers forbid them: then there are fewer samples than requested, and `ora report` says why.

At the end a few lines sum up the time, the share of OpenMP, and the first thing to do.

Exit code: the program's own; 127, 126, 125 and 2 as for the other commands.";

pub(super) const TRACE: &str = "\
Examples:
  ora trace -- ./program input && ora report ora-trace
  ora trace --events regions,sync,tasks,locks,work -o all -- ./program
  ora trace --last 10s -- ./program               only the newest events, however the program ends
  ora trace --slow 50ms -- ./program              only what happened while a region took that long
  ora trace --sample 100 -- ./program             with call stacks, as in `ora profile`
  ora trace --dump 4711 -o now                    what a running process has recorded so far
  ora report ora-trace --html trace.html          one page for any browser
  ora report ora-trace --perfetto trace.pftrace   for ui.perfetto.dev

Each OpenMP event is recorded with its thread and time, in 16 bytes. DIR gets a folder for each process, whose events
stay there however the program ends. If there is no more room, the recording ends, the program continues, and the lost
events are counted. `ora report DIR` shows the longest waits, and for whom they were.

With --last or --slow each thread keeps at most a million events (16 MiB) in addition to those of slow regions; the
oldest are overwritten.

Exit code: the program's own; 127, 126, 125 and 2 as for the other commands.";

pub(super) const RACE: &str = "\
Examples:
  gcc -g -Og -fopenmp -fsanitize=thread program.c -o program && ora race -- ./program input
  ora race --vary -- ./program input               seven runs, with several numbers of threads
  ora race --threads 2,8,32 --repeat 3 -- ./program
  ora race --sarif races.sarif -- ./program        for code hosts and editors

The program has to be built with -fsanitize=thread, by gcc or clang, and linked dynamically to its OpenMP runtime.
ThreadSanitizer finds the accesses; ora tells it what OpenMP orders: regions, barriers, critical sections, locks, tasks
and their dependences. The report goes to stderr (or to FILE): both accesses with their lines and constructs, and the
missing synchronisation. Accesses of the same two lines are one report. With --json, use -o if the program writes to
stderr.

A race is \"possible\" if something that can't be observed may order the accesses; the report says what. A run shows
the races of that run only: other inputs, and other numbers of threads, may show more.

A file of suppressions has one a line; * matches any text, and # starts a comment:
  function:legacy_*         a function that has either access, or that called one that has
  place:heat.c:17           a file, or a line of it
  variable:progress         a variable
  race:NAME                 as in ThreadSanitizer: a function, file or variable whose name contains NAME

All runs get the same arguments and environment; the program's stdin is read by the first run.

Exit code: 66 if there are races, unless all are possible ones; else the program's own. 125: ora failed, or nothing
could be checked; 126, 127 and 2 as for the other commands.";

pub(super) const VALIDATE: &str = "\
Examples:
  ora validate -- ./program input
  ora validate --trace events.txt -- ./program      the events before a violation
  ora validate --json -o out.json -- ./program
  ora validate --spec 5.2 -- ./program              the text of OpenMP 5.2, without exceptions
  ora validate --matrix /usr/lib/llvm-19/lib/libomp.so.5

The program runs with a tool of OMPT, the tools interface of OpenMP 5. The tool registers every callback on the host
device and checks each call: order and pairing, data words, flags, return addresses, and the results of the entry
points.

The report goes to stderr (or to FILE); the program's stdout is untouched. With --json, use -o if the program writes to
stderr. It lists the number of events of each callback, the number of checks of each rule, and the first 20 violations
of each process; all are counted. Known deviations of libomp from the specification are accepted on libomp; the texts
of the rules name them.

Exit code: the program's own; 1 if the program succeeded and a rule was broken, nothing was checked, or memory ran
short.";

pub(super) const HANG: &str = "\
Examples:
  ora hang 4711
  ora hang $(pgrep -n program)
  ora hang 4711 --json -o hang.json

Reads the stacks of all threads from outside: nothing runs in the process, and it need not have been started by ora.

Found are: cycles of locks and critical sections, and locks that their own holder waits for; barriers that not all
threads can reach; ordered and doacross loops whose turn never comes; tasks that wait for each other; locks that no
thread can release. If the threads wait for one that waits for something else, such as a read, that thread is named; it
is not a deadlock.

All threads are examined twice. A thread that has run in between does not hang. A sleeping thread is not stopped; a
running one is stopped while its registers are read (a fraction of a millisecond).

The holder of a lock is deduced from the code that a thread will continue with: it releases the lock. Function names
and lines need symbols and debug information (-g).

Exit code: 0: no hang was found; 3: a hang was found; 1: the process can't be examined; 2: no such process, or invalid
command line; 125: ora itself failed.";

pub(super) const REPORT: &str = "\
Examples:
  ora report                                       the newest profile or trace in this folder
  ora report DIR --rows all                        every function, in a pager on a terminal
  ora report DIR/rank-0.* DIR/rank-1.*             two of the ranks
  ora report --view machine DIR                    the stacks as they were on the machine
  ora report --json -o out.json DIR
  ora report DIR --html page.html                  one page for any browser

The report goes to stdout. A thread's time is all of its wall-clock time; a sample represents the time since the
thread's last sample. OpenMP Work is time in serial code, in regions and in reductions. OpenMP Wait is all the rest:
barriers, locks, sections, tasks, the runtime's overhead, time inside of the runtime (<OMP-runtime>), and idle workers.
Threads that never belong to a team or start one, such as a library's own pool, have a section of their own.

In the user's view a function is the author's, with the bodies of its parallel regions and tasks. Every stack starts in
the program's main function. Waits are functions like <OMP-implicit_barrier> at the place where they happen; an idle
thread is only in <OMP-idle>.

On a terminal the report fits its width; files and pipes get everything, unless COLUMNS sets a width. A report longer
than the terminal goes through a pager: ORA_PAGER, PAGER, or less. An empty ORA_PAGER or `cat` turns the pager off.

Exit code: 0; 2: no profile or trace there, or invalid command line; 125: ora itself failed.";

pub(super) const DIFF: &str = "\
Examples:
  ora stat --json -r 5 -o old.json -- ./old && ora stat --json -r 5 -o new.json -- ./new
  ora diff old.json new.json
  ora diff --fail-above 5% old.json new.json      for continuous integration
  ora diff ora-profile ora-profile.2              two profiles: functions and waits
  ora diff ora-trace ora-trace.2                  two traces: each place that waits

Traces with samples (`ora trace --sample`) are compared by events and by samples. What only one of the two has is left
out.

The wall time, the CPU time, the threads' time by activity, and the time of each parallel region are compared: means of
the runs and, if both have several runs, a 95 % interval of the change (Welch's t test). One with both signs is noise.

The regions of a function are matched by their order, so lines may differ.

Exit code: 0; 1: slower than --fail-above allows; 2: nothing to compare, or invalid command line; 125: ora itself
failed.";

pub(super) const RUN: &str = "\
Examples:
  ora run --collector ./libmine.so -- ./program input
  ora run --tool ./libmytool.so -- ./program input
  ora run --tool ./libnew.so --tool ./libold.so --collector ./libmine.so -- ./program
  ora run -- ./program-with-its-own-tool
  ora run --log-requests out.log --collector ./libmine.so -- ./program && ora decode out.log

A collector finds __omp_collector_api by dlsym. That interface has one session at a time, so there is one collector.

A tool of OMPT is recognised by the function that it exports: ompt_start_tool (OpenMP 5.0 and later), else
ompt_initialize (Technical Report 2). A tool of OpenMP 5 is put in front of OMP_TOOL_LIBRARIES; a tool of TR2 is
preloaded. If a tool has functions that must come before the program's own, preload it: LD_PRELOAD=... ora run --
./program.

A collector, a tool of TR2 and tools of OpenMP 5 work together. Of several tools of OpenMP 5, LLVM's and Intel's
runtimes call all, libgomp the first that doesn't decline. Child processes are also watched.

`ora doctor --tool LIB -- ./program` says whether a tool would be called, and if not, why.";

pub(super) const ATTACH: &str = "\
Examples:
  ora attach 4711 --seconds 10              where does its threads' time go in the next 10 s?
  ora attach 4711 tasks                     its tasks, until Ctrl-C
  ora attach $(pgrep -n solver) --seconds 5 --json -o out.json
  ora attach 4711 profile --seconds 10 -o p && ora report p
  ora attach 4711 trace --seconds 1 -o t && ora report t
  ora run --standby -- ./program            LLVM's and Intel's runtimes: start the program so, then attach

On GNU libgomp the process need not have been started by ora. One of its threads is stopped for about half a
millisecond, and creates a thread that loads libora.so and a collector while the program continues. The program's code
is not changed. The process may be in a container: it needs no file of ora's.

The table goes to stdout (or to FILE). It shows the time from the first event of each thread on. A region that had
already started is not in it, nor is a thread that executes one region all the time. Calls through pointers to the
runtime that the program had copied before are not seen. Processes that it forks are left out.

A profile has all threads, including those that already existed or execute no OpenMP. A trace has the events of its
time. The process writes both itself; in a container, or as another user, into a folder of its own, from which ora
fetches them.

The collector is removed at the end of the time, at Ctrl-C, or when ora ends in any way. The library stays loaded,
without effect, and the process can be attached to again.

Exit code: 0: the process was watched, also if it ended meanwhile; 1: it can't be attached to, the message says why; 2:
no such process, or invalid command line; 125: ora itself failed.";

pub(super) const TOP: &str = "\
Examples:
  ora top                                a list of your processes that use OpenMP, to choose from
  ora top 4711
  ora top solver                         the process of that program
  ora top -- ./program input             starts the program; its output is shown at the end
  ora top 4711 --batch -n 10             text, ten intervals
  ora top 4711 --json --interval 5 -o log.json

Shows the last interval: processors used, threads without a processor, efficiency (work as a share of the threads'
time), waits by cause, each thread as a bar, and the parallel regions. The key ? shows all keys: Enter opens a region
or a thread, t shows the total since the start, s sorts, space pauses, q leaves.

If the process runs under `ora stat`, `ora attach` or another `ora top`, their figures are shown. To any other process
ora attaches as `ora attach PID` does, and detaches at the end. The collector keeps the figures in shared memory:
reading them costs the program nothing. A region counts when it ends.

With a program, q and Ctrl-C interrupt it; the second time it gets SIGTERM, the third time SIGKILL. At the end the table
of `ora stat` is shown. Text and JSON go to stdout, or with a program to stderr.

Exit code: the program's own. Without a program: 0; 1: the process can't be attached to; 2: there is none. 2 also for an
invalid command line; 125: ora itself failed.";

pub(super) const DOCTOR: &str = "\
Examples:
  ora doctor                             is this installation in order?
  ora doctor -- ./program                can ora observe its OpenMP? The program is not run
  ora doctor --run -- ./script.py data   runs it: was its OpenMP observed?
  ora doctor --tool ./libmytool.so -- ./program      would this tool be called?
  ora doctor 4711                        the same for a running process
  ora doctor --json -o out.json -- ./program

The answer goes to stdout; with --run to stderr, so that the program's stdout stays untouched. A program whose name is
a number is written ./4711.

Exit code: 0: everything would be observed (that can be reported on the runtime); 1: something would not, or that can't
be known before the run; 2: nothing to examine, or invalid command line. The program's own exit code is in the answer.";

pub(super) const DECODE: &str = "\
Examples:
  ora decode out.log                     a log of `ora run --log-requests`: every call, before and after
  ora decode buffer.bin                  bytes, as gdb's `dump binary memory` writes them
  xxd buffer.bin | ora decode -          text of xxd, hexdump, od, gdb's x command, or plain: 10000000 06...
  echo '{16, OMP_REQ_START, 0, 0, 0}' | ora decode --words -
  ora decode --reply after.bin           a buffer that came back: checks the replies
  ora decode --json out.log | jq '.log.items[] | select(.kind == \"call\") | .entries[].reply.ec.name'

For a buffer that has not been sent, all possible replies of the library are shown, the likeliest first. Outside of the
process nobody can check that a callback's address is code; a pointer's layout follows from the values that can be
addresses. In text, groups of digits are bytes in memory order; numbers with 0x, and the groups of hexdump and od, are
numbers.

Exit code: 0: well-formed (also if the library would refuse entries); 1: malformed, truncated, or replies that break
the protocol; 2: unreadable, or invalid command line.";
