#!/usr/bin/env python3
"""Compares the static loops that `ora` finds in gcc's code with those of clang's code: static_loops.py FOLDER...

Each C, C++ and Fortran source below the folders is compiled by gcc with -g at -O0 to -O3, and searched by the example `inlined_calls`
of `tools/symbols`. clang's code calls `__kmpc_for_static_init` for each such loop, at the directive's line: where an event of LLVM's
runtime comes from. For Fortran the directives of the source count. A source that one of the compilers refuses is left out.

SUITES_EVERY=N takes each Nth source, GCC=-14 and LLVM=19 name other releases, IN a command that runs gcc, FLAGS other flags than -g.
Prints a table, and on stderr each `parallel for` that is missed, and each loop that is reported elsewhere.
"""

import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
FIND = os.path.join(TARGET, "release/examples/inlined_calls")
GCC, CLANG = os.environ.get("GCC", ""), "-" + os.environ.get("LLVM", "19")
IN, FLAGS = os.environ.get("IN", "").split(), os.environ.get("FLAGS", "-g").split()
COMPILERS = {"c": ("gcc", "clang"), "cpp": ("g++", "clang++"), "cc": ("g++", "clang++"), "f90": ("gfortran", None)}
LEVELS = ["-O0", "-O1", "-O2", "-O3"]
SENTINEL = re.compile(r"\s*(?:#\s*pragma\s+omp|[!c*]\$omp)\s+(.*)", re.I)


class Source:
    """The directives of a source, by their lines."""

    def __init__(self, path):
        self.lines = open(path, errors="replace").read().split("\n")
        self.directives = {}
        for number, line in enumerate(self.lines, 1):
            found = SENTINEL.match(line) or re.search(r'_Pragma\("omp (.*?)"\)', line)
            if found:
                self.directives[number] = self.whole(number, found[1]).lower()

    def whole(self, number, text):
        while text.rstrip().endswith(("\\", "&")) and number < len(self.lines):
            more = re.sub(r"^\s*[!c*]\$omp&?", "", self.lines[number], flags=re.I)
            text, number = text.rstrip()[:-1] + " " + more, number + 1
        return text

    def construct(self, line):
        """The line of the last directive above: compilers name the directive, or a line of its loop."""
        return max((known for known in self.directives if known <= line), default=line)

    def is_static_loop(self, line):
        text = self.directives[line]
        names = re.match(r"[a-z ]*", text)[0].split()
        schedule = re.search(r"\bschedule\s*\(\s*(?:[a-z]+\s*:\s*)?([a-z]+)", text.replace("dist_schedule", ""))
        # A Fortran workshare has a static loop for each assignment.
        shares = {"for", "do", "distribute", "loop", "workshare"} & set(names) and names[0] != "end" and "declare" not in names
        return shares and "ordered" not in text and (schedule is None or schedule[1] == "static")


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, **options)


def includes(folder):
    return [f"-I{place}" for place in (folder, os.path.join(folder, "ompvv"), os.path.join(folder, "common")) if os.path.isdir(place)]


def places(lines):
    """File and line of each `FILE:LINE`."""
    found = (re.match(r"(.*):(\d+)", line) for line in lines)
    return [(os.path.realpath(place[1]), int(place[2])) for place in found if place]


def of_clang(path, folder, compiler, work):
    """Places of the static loops in clang's code; `None`: it does not compile."""
    product = os.path.join(work, "clang.o")
    words = [compiler + CLANG, "-w", "-g", "-O0", "-fopenmp", "-ferror-limit=1", "-I" + os.path.dirname(path), *includes(folder)]
    if run([*words, "-c", path, "-o", product], timeout=120).returncode:
        return None
    found, section, call = collections.defaultdict(list), ".text", None
    for line in run(["objdump", "-dr", "--no-show-raw-insn", product]).stdout.split("\n"):
        if line.startswith("Disassembly of section "):
            section = line.split()[-1].rstrip(":")
        elif "call" in line:
            call = line.split(":")[0].strip()
        elif re.search(r"__kmpc_(dist_)?for_static_init", line):
            found[section].append("0x" + call)
    return [
        place
        for section, calls in found.items()
        for place in places(run(["addr2line", "-e", product, "-j", section, *calls]).stdout.split("\n"))
    ]


def of_gcc(path, folder, compiler, level, work):
    """Kinds and places of what `ora` finds in gcc's code; `None`: it does not compile."""
    product = os.path.join(work, f"gcc{level}.so")
    words = [*IN, compiler + GCC, "-w", *FLAGS, level, "-fopenmp", "-foffload=disable", "-fPIC", "-shared", *includes(folder)]
    if compiler == "gfortran":
        words += ["-cpp", "-ffree-line-length-none", "-J" + work]
    if run([*words, "-I" + os.path.dirname(path), path, "-o", product], cwd=work, timeout=300).returncode:
        return None
    lines = run([FIND, product]).stdout.split("\n")
    os.unlink(product)
    pairs = [line.split(" ", 1)[1] for line in lines if line.startswith(("Loop ", "Distribute "))]
    return [place[0] if place else None for place in (places([pair]) for pair in pairs)]


def compare(job):
    """For each level: numbers of loops reported, right ones, `parallel for`s and those found; what is wrong and what is missed."""
    path, folder = job
    gcc, clang = COMPILERS[path.rsplit(".", 1)[1].lower()]
    path, answers = os.path.realpath(path), {}
    sources = collections.defaultdict(lambda: None)

    def construct(place):
        if place[0] not in sources:
            sources[place[0]] = Source(place[0]) if os.path.exists(place[0]) else None
        source = sources[place[0]]
        return (place[0], source.construct(place[1])) if source else place

    with tempfile.TemporaryDirectory() as work:
        own = sources[path] = Source(path)
        if clang:
            loops = of_clang(path, folder, clang, work)
        else:
            loops = [(path, line) for line in own.directives if own.is_static_loop(line)]
        if loops is None:
            return answers
        loops = {construct(place) for place in loops}
        text = lambda place: sources[place[0]].directives.get(place[1], "") if sources.get(place[0]) else ""
        combined = {place for place in loops if re.search(r"parallel (for|do)\b", text(place).split("(")[0])}
        for level in LEVELS:
            found = of_gcc(path, folder, gcc, level, work)
            if found is None:
                continue
            # Without debug information there are no lines, and only the numbers can be compared.
            named = [construct(place) for place in found if place]
            wrong = [place for place in named if place not in loops]
            hit = combined & set(named) if len(named) == len(found) else list(combined)[: len(found)]
            missed = [] if len(named) < len(found) else sorted(combined - set(named))
            right = len(found) - len(wrong)
            answers[level] = (len(found), right, len(combined), len(hit), len(loops), len(loops & set(named)), wrong, missed)
            for what, all_places in (("elsewhere", wrong), ("missed", missed)):
                for place in all_places:
                    print(f"{what} {level} {place[0]}:{place[1]} {text(place)[:80]}", file=sys.stderr)
    return answers


def main():
    every = int(os.environ.get("SUITES_EVERY", "1"))
    print("| sources | level | compiled | loops reported | of the source | `parallel for` | found | all static loops | found |")
    print("|---|---|---|---|---|---|---|---|---|")
    for folder in sys.argv[1:]:
        folder = os.path.realpath(folder)
        names = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
        jobs = [(name, folder) for name in names if name.rsplit(".", 1)[-1].lower() in COMPILERS][::every]
        for kind, ends in (("C and C++", ("c", "cpp", "cc")), ("Fortran", ("f90",))):
            own = [job for job in jobs if job[0].rsplit(".", 1)[1].lower() in ends]
            if not own:
                continue
            with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
                answers = list(pool.map(compare, own))
            for level in LEVELS:
                rows = [answer[level][:6] for answer in answers if level in answer]
                total = " | ".join(str(sum(column)) for column in zip(*rows))
                print(f"| {os.path.basename(folder)}, {kind} | `{level}` | {len(rows)} | {total} |", flush=True)


main()
