//! Texts below the options in each command's help: examples, and facts that surprise users.

pub(super) const COMMAND: &str = "\
Examples:
  ora demo                          a first look, on a small program; needs gcc only
  ora stat -- ./program input       where did the threads' time go?
  ora stat -r 5 -- ./program        five runs: means and standard deviations
  ora stat --json -o out.json -- ./program
  ora stat --html page.html -- ./program    one page for any browser, and the table
  ora profile -- ./program          which functions, lines and regions take the time?
  ora trace -- ./program            when, and who waited for whom?
  ora tasks -- ./program            which tasks are too small, and where do they come from?
  ora race -- ./program             is there a data race? Build it with -fsanitize=thread
  ora report DIR                    show a profile, or a trace
  ora attach 4711 --seconds 10      the same of a process that runs already
  ora top 4711                      live: threads, waits and regions, once a second
  ora hang 4711                     it stands still: who waits for whom?
  ora diff old.json new.json        what got slower between two outputs of `ora stat --json`?
  ora run --collector ./libmine.so -- ./program
  ora run --tool ./libmytool.so -- ./program
  ora run --log-requests out.log --collector ./libmine.so -- ./program
  ora decode out.log                what did the collector request, and what was answered?
  ora doctor -- ./program           would its OpenMP be seen? If not, why?

Programs are watched as they are, without recompiling them; build them with -g to see source lines. Each command has more
to read: `ora COMMAND --help`, or the page `ora-COMMAND` of the manual.

Exit code: the program's own (of several runs, the first that isn't 0). If the program dies of a signal, so does ora.
127: program not found; 126: program can't be executed; 125: ora itself failed; 2: error on the command line.";

/// Line below the options of `-h`.
pub(super) const BRIEF: &str = "`--help` adds examples, and what the figures mean.";

pub(super) const SCALE: &str = "\
Examples:
  ora scale -- ./program input
  ora scale -t 1,2,4,8 -r 5 -- ./program
  ora scale --json -o scale.json --svg speedup.svg -- ./program

The program runs with OMP_NUM_THREADS set to each number in turn; its stdout is untouched. The times are medians.
  speed-up     the wall time with the fewest threads, divided by that here
  efficiency   the speed-up, divided by how many more threads there are. It is the product of:
  parallel     the part of the threads' wall time in which they run the program's code: the rest are waits, and threads that idle
  computation  how long they run for in all with the fewest threads, divided by that here: below 100 % they wait for memory, or
               have more to do

Exit status: that of the program where it does not end well, else 0; 125 where ora itself fails.";

pub(super) const TUNE: &str = "\
Examples:
  ora tune -- ./program input
  ora tune --check 'grep -q \"residual 1.2e-09\"' -- ./program
  ora tune --json -o tune.json -t 1-8 -r 10 -- ./program

The program runs once under `ora stat`, which shows what is worth trying, then without any library: with other numbers of threads, wait
policies, schedules (where it has loops with schedule(runtime)) and bindings. A value that is much slower gets one run. Variables that
are set already stay, but for those that are tried. The program's input is /dev/null.

At last, on libgomp, each region: fewer threads, and other chunks of dynamic and guided loops. What helps goes to the file ora.tune, with
which the program then runs by `ORA_TUNE=ora.tune ora run -- PROGRAM`. It needs no rebuild; see share/doc/ora/tune-file.md.

Exit status: 0, also where nothing is faster; that of the program where it does not end well as it is; 125 where ora itself fails.";

pub(super) const STAT: &str = "\
Examples:
  ora stat -- ./program input
  OMP_NUM_THREADS=4 ora stat -r 5 -- ./program
  ora stat --json -o out.json -- ./program
  ora stat --no-follow -- ./script.sh
  ora stat -- mpirun -n 4 ./program         the job first, then the ranks that differ

The table goes to stderr (or to FILE); the program's stdout is untouched. Times are wall-clock times of threads, and the
rows add up to the time of all threads. A thread counts from its first event on, the initial thread from its start.
  work              in a parallel region and in none of the waits below, and in tasks; also overhead that no event shows
  serial            outside of all parallel regions
  implicit barrier  at the end of a region or a work-sharing construct
  explicit barrier  on code by gcc without -g also the end of a static loop or single: it is the same call
  taskwait          also at the end of a taskgroup
  lock, critical, ordered, atomic
                    waits for a lock or a turn that another thread has
  idle              a worker in the pool, between regions

A region's name is the place in the program that forks it: function and line where there is debug information (-g), else a
symbol, else an offset in the file. The ten regions with the largest part of the gain or of the time have rows:
  threads           the size of the largest team
  work, waits       of all threads of the team, without nested regions
  imbalance         (max - mean) / max of the team's work, from barrier to barrier in each instance of the region, summed:
                    it doesn't even out where another thread has the longest share each time
  gain              the wall time that even shares would save

Tasks that a thread runs in a wait count as work, and the rest of that time as the wait. Each event takes some ten
nanoseconds: where tasks are as short as that, the program is slower than without `ora`. The line `watching` says how much
time that has added. OpenMP Work is work + serial; OpenMP Wait is all the rest.

CPU time is that of the whole process. `no processor` is the time for which threads were ready to run but had no processor;
it is shown from 1 % of the threads' time on. More OpenMP threads than processors are a finding above the table.

On a terminal the table fits its width: long names are shortened, and columns without room are named below. Files and pipes
get everything, unless COLUMNS sets a width. With -r a terminal shows the number of the current run.";

pub(super) const TASKS: &str = "\
Examples:
  ora tasks -- ./program input
  ora tasks --tree --tree-max 50 -- ./program        the first 50 tasks, each below the one that created it
  ora tasks --tree=dot -o tasks.dot -- ./program && dot -Tsvg tasks.dot > tasks.svg
  ora tasks --json -o out.json -- ./program     the profile
  ora tasks --tree=json -o tree.json -- ./program

The report goes to stderr (or to FILE); the program's stdout is untouched. Tasks are grouped by the place in the program
that creates them: a source line where there is debug information (-g), else a symbol, else an offset in the file. For each
place:
  creation          the call that creates the task
  waiting           from the end of the creation to the begin of the execution
  execution         the task's own work: without suspensions, creations of tasks, and tasks run meanwhile
  suspension        in a taskwait, or at the end of a taskgroup, from begin to end
  too small         execution took less than creation, and fetching from the pool
  level             1 for tasks created by an implicit task, 2 for their children, and so on

The columns are quartiles: a quarter, half and three quarters of a place's tasks took less. A task whose thread lost its
processor changes none of them, and no advice. The line `watching` says how much time watching has added; creations and
executions are without most of it. All times are wall-clock times.

Chunks of a taskloop that run on another thread, or later, are shown together: their place isn't on that thread's stack then.
libgomp's clean-up after a task can't be seen. On a terminal the report fits its width, unless COLUMNS sets another.";

pub(super) const PROFILE: &str = "\
Examples:
  ora profile -- ./program input && ora report ora-profile
  ora profile -F 1000 -o fast -- ./program
  ora profile -- python3 -X perf script.py
  ora profile -o job -- mpirun -n 4 ./program
  mpirun -n 4 ora profile -o job -- ./program   the same: one folder for all ranks

Each thread is interrupted at this rate of its CPU time; no system call is. The time in which a thread sleeps goes to the
wait that it sleeps in, or to the region whose work it sleeps in. Outside of OpenMP it is shown as
<asleep outside of OpenMP>, not by function. DIR gets a folder for each process, which `ora report` reads. The samples stay
there however the program ends. A program that handles or blocks the signal has no samples: choose another signal.

The kernel checks timers on CPU time when its clock ticks, 100 to 1000 times a second. At ticks it also switches threads that
share a processor, so timers find such threads in waits too often. For higher rates, and as soon as a thread was taken off
its processor, the kernel's perf events are used, where they are permitted (with signal URG;
/proc/sys/kernel/perf_event_paranoid is 2 or less; many containers forbid them). Else there are fewer samples than requested,
and `ora report` says why. Perf events come in the program's own code only, so that no call is interrupted: time in the
kernel goes to the next sample or, in serial code, to the next fork. They cost a thread some microseconds each time it
sleeps: a thread that sleeps often keeps its timer, if the rate permits that.

CPython 3.12 and later name their functions with `python3 -X perf script.py`: the map that Python writes (as other makers of
code at run time do, /tmp/perf-PID.map) is kept with the profile.

No sample is taken while a thread is in the kernel or blocks the signal, nor where unwinding deep stacks would take more than
half of the time: that time is in the next sample. With timers alone (--signal 59, and a rate of 100) none of this applies.

Threads that end before their first sample is due have samples as often as their time adds up to a period; each such sample
stands for the time of the others, too.

At the end a few lines sum up the time, the part of OpenMP in it, and the first thing to do. They are left out where they
would take more than 10 s.

Exit code: the program's own; 127, 126, 125 and 2 as for the other commands.";

pub(super) const TRACE: &str = "\
Examples:
  ora trace -- ./program input && ora report ora-trace
  ora trace --events regions,sync,tasks,locks,work -o all -- ./program
  ora trace --last 10s -- ./program               only the newest events, however the program ends
  ora trace --slow 50ms -- ./program              only what happened while a region took that long
  ora trace --sample 100 -- ./program             call stacks, too, as by `ora profile`
  ora trace --dump 4711 -o now                    what that process has recorded so far; it goes on
  ora report ora-trace --html trace.html          one page for any browser
  ora report ora-trace --perfetto trace.pftrace   for ui.perfetto.dev

Each event of OpenMP is recorded with its thread and time, in 16 bytes: DIR gets a folder for each process. What was recorded
stays there however the program ends. Where there is no more room, the recording ends, not the program, and the lost events are
counted. `ora report DIR` shows the longest waits, and for whom they were.

With --last or --slow each thread keeps at most a million events (16 MiB) beside those of slow regions, and uses their room
again.

Exit code: the program's own; 127, 126, 125 and 2 as for the other commands.";

pub(super) const RACE: &str = "\
Examples:
  gcc -g -Og -fopenmp -fsanitize=thread program.c -o program && ora race -- ./program input
  ora race --vary -- ./program input               seven runs, with several numbers of threads
  ora race --threads 2,8,32 --repeat 3 -- ./program
  ora race --sarif races.sarif -- ./program        for code hosts and editors
  ora race --suppressions known.txt -- ./program

The program has to be built with -fsanitize=thread, by gcc or clang, and linked to its OpenMP runtime dynamically.
ThreadSanitizer finds the accesses; ora tells it what OpenMP orders: regions, barriers, critical sections, locks, tasks and their
dependences. The report goes to stderr (or to FILE): both accesses with their lines and constructs, and the synchronisation
that is missing between them. Accesses of the same two lines are one report. A race is \"possible\" where the accesses may be
ordered by something that can't be seen; the report says why.

A file of suppressions has one in a line, with * for any text; # begins a comment:
  function:legacy_*         a function that either access is in, or was called from
  place:heat.c:17           a file, or a line of it
  variable:progress         a variable
  race:NAME                 as ThreadSanitizer has it: a function, file or variable whose name contains NAME

A run shows the races of that run only. Other inputs, and other numbers of threads, may show more. All runs get the same
arguments and environment; the program's stdin is read by the first.

Exit code: 66 if there are races, unless all are possible ones; else the program's own. 125: ora failed, or nothing could be
checked; 126, 127 and 2 as for the other commands.";

pub(super) const VALIDATE: &str = "\
Examples:
  ora validate -- ./program input
  ora validate --trace events.txt -- ./program      the events before a violation
  ora validate --json -o out.json -- ./program
  ora validate --spec 5.2 -- ./program              what 5.2 says, without exceptions
  ora validate --matrix /usr/lib/llvm-19/lib/libomp.so.5

The program is loaded with a tool of OMPT, the interface of OpenMP 5 for tools. It registers every callback on the host device,
and checks each call: order and pairing, data words, flags, return addresses, and the answers of the entry points. The report
goes to stderr (or to FILE); the program's stdout is untouched. It lists the number of events of each callback, the number of
checks of each rule, and the first 20 violations of each process; all are counted. Known deviations of libomp from the
specification are accepted on libomp; the texts of the rules name them.

Exit code: the program's own; 1 if the program succeeded and a rule was broken, or nothing was checked, or memory ran short.";

pub(super) const HANG: &str = "\
Examples:
  ora hang 4711
  ora hang $(pgrep -n program)
  ora hang 4711 --json -o hang.json

Reads the stacks of all threads from outside: nothing runs in the process, and the program need not have been started by ora.
Named are: locks and critical sections that are waited for in a circle, or by their own holder; barriers that not all threads
can reach; ordered and doacross loops out of turn; tasks that wait for each other; locks that nobody can release. A thread that
waits for something else, such as a read, while the others wait for it, is named as well: that is no deadlock.

All threads are looked at twice. One that has run meanwhile doesn't hang. A thread that sleeps is not stopped; one that runs is,
for as long as it takes to read its registers (a fraction of a millisecond).

Who holds a lock is known by the code that a thread goes on with: it releases the lock. Function names and lines need symbols
and debug information (-g).

Exit code: 0 no hang was seen; 3 a hang was found; 1 the process can't be looked at; 2 there is no such process; 125 ora failed.";

pub(super) const REPORT: &str = "\
Examples:
  ora profile -o DIR -- ./program && ora report DIR
  ora report                                       the newest profile in this folder
  ora report DIR --rows all                         every function, in a pager on a terminal
  ora report DIR/rank-0.* DIR/rank-1.*             two of the ranks
  ora report --view machine DIR                    the stacks as they were on the machine
  ora report --json -o out.json DIR
  ora report DIR --html page.html                  one page for any browser

The report goes to stdout. A thread's time is all of its wall-clock time; a sample stands for the time since the thread's
last sample. OpenMP Work is time in serial code, in regions and in reductions; OpenMP Wait is all the rest: barriers, locks,
sections, tasks, the runtime's overhead, time inside of the runtime (<OMP-runtime>), and idle workers. Together they are the
total. Threads that are in no team and have begun none, such as a library's own pool, have a section of their own, and are in no
other figure.

In the user's view a function is the author's, with the bodies of its parallel regions and tasks. Every stack begins in the
program's main function; waits are functions like <OMP-implicit_barrier> where they happen, and an idle thread is nowhere but
in <OMP-idle>.

On a terminal the report fits its width: long names are shortened, and columns without room are named below. Files and pipes
get everything, unless COLUMNS sets a width. A report longer than the terminal goes through a pager: ORA_PAGER, PAGER, or
less. An empty ORA_PAGER or `cat` turns the pager off.

Exit code: 0; 2: no profile there, or an error on the command line; 125: ora itself failed.";

pub(super) const DIFF: &str = "\
Examples:
  ora stat --json -r 5 -o old.json -- ./old && ora stat --json -r 5 -o new.json -- ./new
  ora diff old.json new.json
  ora diff --fail-above 5% old.json new.json     for continuous integration
  ora diff ora-profile ora-profile.2              two profiles: functions and waits
  ora diff ora-trace ora-trace.2                  two traces: each place that waits

Traces with samples (`ora trace --sample`) are compared by events and by samples. What one of the two alone has is left out.

The wall time, the CPU time, the threads' time by activity, and the time of each parallel region are compared: means of the runs,
and a 95 % interval of the change by the bootstrap, if both have several runs. An interval that has both signs is noise.

A function's regions are taken for the same in both by their order, so lines may differ.

Exit code: 0; 1: slower than --fail-above allows; 2: there is nothing to compare, or an error on the command line; 125:
ora itself failed.";

pub(super) const RUN: &str = "\
Examples:
  ora run --collector ./libmine.so -- ./program input
  ora run --tool ./libmytool.so -- ./program input
  ora run --tool ./libnew.so --tool ./libold.so --collector ./libmine.so -- ./program
  ora run -- ./program-with-its-own-tool
  ora run --log-requests out.log --collector ./libmine.so -- ./program && ora decode out.log

A collector finds __omp_collector_api by dlsym. The interface has one session at a time, so there is one collector.

A tool of OMPT is recognised by the function that it exports: ompt_start_tool (OpenMP 5.0 and later), else ompt_initialize
(Technical Report 2). A tool of OpenMP 5 is put in front of OMP_TOOL_LIBRARIES; a tool of TR2 is preloaded. If a tool has
functions that must come before the program's own, preload it: LD_PRELOAD=... ora run -- ./program.

A collector, a tool of TR2 and tools of OpenMP 5 work together. Of several tools of OpenMP 5, LLVM's and Intel's runtimes
call all, libgomp the first that doesn't decline. Children are watched, too.

`ora doctor --tool LIB -- ./program` says whether a tool would be called, and if not, why.";

pub(super) const ATTACH: &str = "\
Examples:
  ora attach 4711 --seconds 10              where did its threads' time go in the next 10 s?
  ora attach 4711 tasks                     its tasks, until Ctrl-C
  ora attach $(pgrep -n solver) --seconds 5 --json -o out.json
  ora attach 4711 profile --seconds 10 -o p              then: ora report p
  ora attach 4711 trace --seconds 1 -o t                 then: ora report t
  ora run --standby -- ./program            for LLVM's and Intel's runtimes: then `ora attach` works

The process need not have been started by ora, if it runs on GNU libgomp. One of its threads is stopped for about half a millisecond,
and creates a thread that loads libora.so and a collector while the program goes on. Nothing of the program's code is changed.
The process may be in a container: it needs no file of ora's.

The table goes to stdout (or to FILE). It shows the time from the first event of each thread on. A region that had begun before is
not in it, nor is a thread that executes one region all the time. Calls through pointers that the program had copied before are not
seen. Processes that it forks are left out.

A profile has all threads, also those that were there before or execute no OpenMP. A trace has the events of its time. The process
writes both itself; in a container, or as another user, into a folder of its own, from which ora fetches them.

The collector goes when the time is over, by Ctrl-C, or when ora ends in any way. The library stays loaded, without effect, and the
process can be attached to again.

Exit code: 0: the process was watched, also if it ended meanwhile; 1: it can't be attached to, the message says why; 2: there is no
such process, or an error on the command line; 125: ora itself failed.";

pub(super) const TOP: &str = "\
Examples:
  ora top                                a list of your processes that use OpenMP, to choose from
  ora top 4711
  ora top solver                         the process of that program
  ora top -- ./program input             starts the program; its output is shown at the end
  ora top 4711 --batch -n 10             text, ten looks
  ora top 4711 --json --interval 5 -o log.json

Shows the last interval: processors used, threads without a processor, efficiency (work as a part of the threads' time), waits by
cause, each thread as a bar, and the parallel regions. The key ? shows all keys: Enter opens a region or a thread, t shows the figures
of all time, s sorts, space pauses, q leaves.

A process that runs under `ora stat`, `ora attach` or another `ora top` is looked at as it is. To any other one ora attaches as
`ora attach PID` does, and leaves it at the end. The figures are those that the collector keeps in memory anyway: a look costs
the program nothing. A region counts when it ends.

With a program, q and Ctrl-C interrupt it; the third time it is killed. At the end the table of `ora stat` is shown. Text and JSON go
to stdout, or with a program to stderr.

Exit code: the program's own; without a program 0, 1: it can't be attached to, 2: there is no such process, or an error on the
command line; 125: ora itself failed.";

pub(super) const DOCTOR: &str = "\
Examples:
  ora doctor                             is this installation in order?
  ora doctor -- ./program                would its OpenMP be seen? The program is not run
  ora doctor --run -- ./script.py data   run it: was its OpenMP seen?
  ora doctor --tool ./libmytool.so -- ./program      would this tool be called?
  ora doctor 4711                        the same, for a running process
  ora doctor --json -o out.json -- ./program

The answer goes to stdout; with --run to stderr, so that the program's stdout stays untouched.
A program whose name is a number: ./4711.

Exit code: 0: everything would be seen (that can be reported on the runtime); 1: something would not, or that can't be known
before the run; 2: nothing to examine, or an error on the command line. The program's own exit code is in the answer.";

pub(super) const DECODE: &str = "\
Examples:
  ora decode out.log                     a log of `ora run --log-requests`: every call, before and after
  ora decode buffer.bin                  bytes, as `dump binary memory` of gdb writes them
  xxd buffer.bin | ora decode -          hexadecimal text of xxd, hexdump, od, or gdb's x command; or plain: 10000000 06...
  echo '{16, OMP_REQ_START, 0, 0, 0}' | ora decode --words -
  ora decode --reply after.bin           a buffer that came back: checks the replies
  ora decode --json out.log | jq '.log.items[] | select(.kind == \"call\") | .entries[].reply.ec.name'

For a buffer that is yet to be sent, all possible answers of the library are shown, the likeliest first. Outside of the
process a callback can't be checked for being code; a pointer's layout follows from the values that can be addresses.
In text, groups of digits are bytes in memory order. Numbers with 0x, and the groups of hexdump and od, are numbers.

Exit code: 0: well-formed (also where the library would refuse entries); 1: malformed, cut, or replies that break the
protocol; 2: unreadable, or an error on the command line.";
