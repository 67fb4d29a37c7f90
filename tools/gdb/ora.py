"""OpenMP in gdb, for programs on GNU libgomp: a live process, or a core.

    (gdb) source ora.py
    (gdb) omp threads     each thread: its number in its teams, and what it does
    (gdb) omp regions     the teams, with their members and the place of the region
    (gdb) omp waits       waits and their places, with the threads that wait there
    (gdb) omp tasks       explicit tasks that are being executed

Neither debug information of libgomp nor libora.so is needed. The layout of libgomp's records is taken from the code of exported
functions that read them, on x86-64; elsewhere threads are shown without their teams. `ora hang PID` says who holds a lock.
"""

import re

import gdb

# Entry points of the runtime in which threads wait.
WAITS = (
    (r"GOMP_barrier(_cancel)?", "barrier"),
    (r"GOMP_(loop|sections)_end(_cancel)?|GOMP_workshare_task_reduction_unregister", "barrier of a worksharing construct"),
    (r"GOMP_single_copy_(start|end)", "copyprivate"),
    (r"GOMP_critical_(name_)?start", "critical section"),
    (r"GOMP_atomic_start", "atomic update"),
    (r"omp_set_(nest_)?lock(_8)?_?", "lock"),
    (r"GOMP_ordered_start|GOMP_loop_(ull_)?ordered_.*_next", "ordered region"),
    (r"GOMP_doacross_(ull_)?wait", "doacross iteration"),
    (r"GOMP_taskwait", "taskwait"),
    (r"GOMP_taskwait_depend(_nowait)?|GOMP_task", "task that another one depends on"),
    (r"GOMP_taskgroup_end|GOMP_taskloop(_ull)?", "taskgroup"),
    (r"GOMP_parallel(_.*)?|GOMP_teams_reg", "barrier at the region's end"),
)
# Entry points whose own frame calls the body of an undeferred or included task.
CALLS_TASKS = re.compile(r"GOMP_task(loop(_ull)?)?$")
LOCKS = ("critical section", "lock")
# Size of a barrier in bytes (libgomp, config/linux/bar.h), and maximum nesting of teams that is followed.
BARRIER_BYTES = 64
DEEPEST = 64
# Maximum number of frames of a stack that are read.
DEEPEST_STACK = 1000


def printable(text):
    """Text with escapes in place of what a terminal obeys: names are those of the program, which may be hostile."""
    def escaped(letter):
        code = ord(letter)
        return "\\x%02x" % code if code < 0x100 else "\\u{%x}" % code

    return "".join(letter if letter.isprintable() else escaped(letter) for letter in text)


def say(text):
    print(printable(text))


def named(frame):
    """The function of a frame, or its address where that has no name, or one that is no text."""
    try:
        return frame.name() or hex(frame.pc())
    except (gdb.error, ValueError):
        return hex(frame.pc())


def part(frame):
    """The owner of a frame's code: `runtime`, `ora`, `system` or `program`."""
    name = (gdb.solib_name(frame.pc()) or "").rsplit("/", 1)[-1]
    if name.startswith("libgomp"):
        return "runtime"
    if name.startswith("libora"):
        return "ora"
    is_system = re.match(r"(libc|libpthread|libdl|ld-linux|ld)[-.]|linux-vdso|\[vdso\]", name)
    return "system" if is_system else "program"


def place(frame):
    """A function and its line, as far as they are known."""
    name = named(frame)
    try:
        sal = frame.find_sal()
        if sal.symtab is None:
            return name
        # A return address may belong to the next line.
        exact = gdb.find_pc_line(frame.pc() - (1 if frame.level() > 0 else 0))
        line = last_line(exact) if exact.symtab is not None and exact.line == sal.line else sal.line
        return "%s at %s:%d" % (name, sal.symtab.filename.rsplit("/", 1)[-1], line)
    except (gdb.error, ValueError):
        return name


def last_line(sal):
    """The line of code: of several rows at one address gdb takes one that starts a statement, but the instruction belongs to the last."""
    rows = [row.line for row in sal.symtab.linetable() if row.pc == sal.pc]
    return rows[-1] if rows else sal.line


class Layout:
    """Layout of libgomp's records, from the code of functions that read them."""

    def __init__(self):
        number, team = self.listing("omp_get_thread_num"), self.listing("omp_get_num_threads")
        barrier = self.listing("GOMP_barrier")
        self.record, self.number = self.thread_local(number)
        same, self.team = self.thread_local(team)
        if self.record != same or self.thread_local(barrier) != (self.record, self.team):
            raise ValueError("the functions read different records")
        self.barrier = next(found for found in map(self.added, barrier) if found is not None)

    @staticmethod
    def address(name):
        for line in gdb.execute("info functions -n ^%s$" % name, to_string=True).splitlines():
            found = re.match(r"(0x[0-9a-f]+)\s", line)
            if found and "libgomp" in (gdb.solib_name(int(found.group(1), 16)) or ""):
                return int(found.group(1), 16)
        # This libgomp has debug information.
        return int(gdb.parse_and_eval("(unsigned long) &%s" % name))

    @classmethod
    def listing(cls, name):
        lines = gdb.selected_inferior().architecture().disassemble(cls.address(name), count=24)
        return [line["asm"] for line in lines]

    @staticmethod
    def thread_local(listing):
        """The distance of a thread's record from its thread pointer, and the place that is read in it."""
        words = {}
        for line in listing:
            loads = re.match(r"mov\s+-?0x[0-9a-f]+\(%rip\),%(\w+)\s+# (0x[0-9a-f]+)", line)
            if loads:
                words[loads.group(1)] = int(loads.group(2), 16)
            reads = re.search(r"%fs:(0x[0-9a-f]+)?\(%(\w+)\)", line)
            if reads and reads.group(2) in words:
                return signed(words[reads.group(2)]), int(reads.group(1) or "0", 16)
        raise ValueError("no thread-local variable is read")

    @staticmethod
    def added(line):
        """A constant that is added to the first argument's register."""
        found = re.match(r"(add|sub)\s+\$(0x[0-9a-f]+),%rdi|lea\s+(0x[0-9a-f]+)\(%\w+\),%rdi", line)
        if not found:
            return None
        number = int(found.group(2) or found.group(3), 16)
        number = number - (1 << 64) if number >> 63 else number
        return -number if found.group(1) == "sub" else number

    def teams(self, frame):
        """The teams of a thread, the innermost first: address, number in it, and size."""
        state = int(frame.read_register("fs_base")) + self.record + self.team
        found = []
        while len(found) < DEEPEST:
            team = read(state, 8)
            if team == 0:
                break
            number, size = read(state + self.number - self.team, 4), read(team, 4)
            if size == 0 or number >= size:
                break
            found.append((team, number, size))
            # The state of the thread before the region (libgomp.h, gomp_team: prev_ts), whose first word is the outer team.
            state = team + 8
        return found


def read(address, size):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, size)), "little")


def signed(address):
    number = read(address, 8)
    return number - (1 << 64) if number >> 63 else number


def layout():
    """The layout of libgomp's records; None where it can't be had."""
    try:
        with_flavor = gdb.parameter("disassembly-flavor")
    except RuntimeError:
        return None
    try:
        gdb.execute("set disassembly-flavor att")
        return Layout()
    except (gdb.error, ValueError, StopIteration):
        return None
    finally:
        gdb.execute("set disassembly-flavor %s" % with_flavor)


class Frame:
    """One frame of a stack. Its facts are kept: gdb's own object is of no use once another thread is selected."""

    def __init__(self, frame):
        self.part, self.name, self.place = part(frame), named(frame).split("@")[0], place(frame)
        self.called = ""
        if self.part == "program" and frame.level() > 0:
            self.called, address = called(frame)
            jump = tail_call(address) if part(frame.newer()) in ("runtime", "ora") else None
            if jump is not None:
                self.called, self.place = jump


def called(frame):
    """The function that a frame's last call has named, and its address, on x86-64: the runtime's own functions may have jumped on from
    there."""
    architecture = frame.architecture()
    for length in (5, 6):
        try:
            line = architecture.disassemble(frame.pc() - length, count=1)[0]
        except gdb.error:
            continue
        found = re.search(r"^call.*?(0x[0-9a-f]+) <(\w+)(@[\w.]+)?>", line["asm"])
        if line["length"] == length and found:
            return found.group(2), int(found.group(1), 16)
    return "", 0


def tail_call(address):
    """The runtime's function to which the program's function at an address jumps at its end, and the place of that jump: the function itself
    has no frame then. `None` if there is not exactly one."""
    try:
        block = gdb.block_for_pc(address)
        while block is not None and block.function is None:
            block = block.superblock
        if block is None or block.start != address:
            return None
        lines = gdb.selected_frame().architecture().disassemble(address, block.end - 1)
        jumps = [(line["addr"], re.search(r"^jmp.*<((?:GOMP|omp)_\w+)(@[\w.]+)?>", line["asm"])) for line in lines]
        jumps = [(at, found.group(1)) for at, found in jumps if found]
        if len(jumps) != 1:
            return None
        at, entry = jumps[0]
        sal = gdb.find_pc_line(at)
        file = sal.symtab.filename.rsplit("/", 1)[-1] if sal.symtab else ""
        return entry, "%s at %s:%d" % (block.function.name, file, last_line(sal)) if file else block.function.name
    except (gdb.error, ValueError, RuntimeError):
        return None


class Thread:
    """One thread: its stack, teams, wait and tasks. It is to be selected."""

    def __init__(self, thread, known):
        self.number, self.lwp = thread.num, thread.ptid[1] or thread.ptid[2]
        self.layout, self.frames, self.teams, self.awaited = known, [], [], 0
        frame = gdb.newest_frame()
        try:
            # The address of the word on which it sleeps (futex(2)), if it does.
            self.awaited = int(frame.read_register("rdi"))
            self.teams = known.teams(frame) if known else []
        except (gdb.error, ValueError, OverflowError):
            pass
        try:
            while frame is not None and len(self.frames) < DEEPEST_STACK:
                self.frames.append(Frame(frame))
                frame = frame.older()
        except (gdb.error, ValueError, OverflowError):
            # The stack can't be read further.
            pass
        own = [at for at, frame in enumerate(self.frames) if frame.part == "program"]
        self.program = own[0] if own else None
        self.place = self.frames[self.program].place if own else ""
        self.wait = self.find_wait()
        if self.wait == "idle":
            self.teams = []

    def find_wait(self):
        runtime = [frame for frame in self.frames[: self.program] if frame.part in ("runtime", "ora")]
        if not runtime:
            return "outside of OpenMP" if self.program != 0 else ""
        if self.program is None:
            return self.worker_wait()
        names = [self.frames[self.program].called] + [frame.name for frame in reversed(runtime)]
        for name in names:
            for pattern, wait in WAITS:
                if re.match("(%s)$" % pattern, name):
                    return wait + self.variable() if wait in LOCKS else wait
        return "in the runtime"

    def variable(self):
        """The name of the lock that it waits for."""
        symbol = gdb.execute("info symbol %d" % self.awaited, to_string=True)
        name = symbol.split(" in section")[0].replace("gomp_critical_user_", "")
        return "" if symbol.startswith("No symbol") else " " + name

    def worker_wait(self):
        """The wait of a thread that has only the runtime on its stack."""
        for team, _, _ in self.teams:
            if 0 <= self.awaited - team - self.layout.barrier < BARRIER_BYTES:
                return "barrier at the region's end"
        return "idle"

    def tasks(self):
        """Places of explicit tasks: the runtime has called their bodies from a wait, or from the task's creation."""
        group, found = [], []
        for frame in reversed(self.frames):
            if frame.part != "program":
                group.append(frame)
                continue
            names = [inner.name for inner in group if inner.part == "runtime"]
            if len(names) > 1 or any(CALLS_TASKS.match(name) for name in names):
                found.append(frame.place)
            group = []
        return found

    def regions(self):
        """Places of the regions that it has begun, the innermost first."""
        for inner, frame in zip(self.frames, self.frames[1:]):
            names = (frame.called, inner.name if inner.part in ("runtime", "ora") else "")
            if frame.part == "program" and any(re.match(r"GOMP_(parallel|teams_reg)", name) for name in names):
                yield frame.place


def threads():
    """All threads. The selected thread and frame stay."""
    selected, level = gdb.selected_thread(), gdb.selected_frame().level()
    known = layout()
    found = []
    try:
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num):
            thread.switch()
            found.append(Thread(thread, known))
    finally:
        selected.switch()
        gdb.execute("frame %d" % level, to_string=True)
    return found


def numbers(thread):
    """The thread's number in each team, the outermost first, as in 1/3."""
    return " ".join("%d/%d" % (number, size) for _, number, size in reversed(thread.teams)) or "-"


class Omp(gdb.Command):
    """OpenMP on GNU libgomp: omp threads, omp regions, omp waits, omp tasks."""

    def __init__(self):
        super().__init__("omp", gdb.COMMAND_STATUS, prefix=True)


class Threads(gdb.Command):
    """Each thread: its number in its teams, what it waits for, and where."""

    def __init__(self):
        super().__init__("omp threads", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        say("thread       LWP  in team  does")
        for thread in threads():
            does = "waits: " + thread.wait if thread.wait and thread.wait != "idle" else thread.wait or "runs"
            does += ", " + thread.place if thread.place else ""
            say("%6d  %8d  %-7s  %s" % (thread.number, thread.lwp, numbers(thread), does))


class Regions(gdb.Command):
    """The teams of parallel regions, with their members and the place of the region."""

    def __init__(self):
        super().__init__("omp regions", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        teams = {}
        for thread in threads():
            for inner, (team, number, size) in enumerate(thread.teams):
                # For an outer team, only its own members, not the threads of their regions.
                if all(number == 0 for _, number, _ in thread.teams[:inner]):
                    level = len(thread.teams) - inner
                    teams.setdefault((level, team, size), []).append((number, inner, thread))
        if not teams:
            say("no thread is in a parallel region" if layout() else "the teams of this libgomp can't be read")
        for (level, team, size), members in sorted(teams.items(), key=lambda entry: entry[0]):
            members.sort(key=lambda member: member[0])
            shown = ", ".join("%d (thread %d)" % (number, thread.number) for number, _, thread in members)
            say("team at %#x, level %d, size %d: %s" % (team, level, size, shown))
            number, inner, thread = members[0]
            begun = list(thread.regions())
            if number == 0 and inner < len(begun):
                say("    " + begun[inner])


class Waits(gdb.Command):
    """Waits and their places, with the threads that wait there."""

    def __init__(self):
        super().__init__("omp waits", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        found = {}
        for thread in threads():
            if thread.wait:
                found.setdefault((thread.wait, thread.place), []).append(str(thread.number))
        for (wait, where), waiting in sorted(found.items(), key=lambda entry: -len(entry[1])):
            say("%3d  %s%s: thread %s" % (len(waiting), wait, ", " + where if where else "", ", ".join(waiting)))
        if not found:
            say("no thread waits")


class Tasks(gdb.Command):
    """Explicit tasks that are being executed, the innermost last. Tasks in queues are not shown."""

    def __init__(self):
        super().__init__("omp tasks", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        found = False
        for thread in threads():
            for task in thread.tasks():
                say("thread %d: %s" % (thread.number, task))
                found = True
        if not found:
            say("no explicit task is being executed")


for command in (Omp, Threads, Regions, Waits, Tasks):
    command()
