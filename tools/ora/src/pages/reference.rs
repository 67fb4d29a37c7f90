//! Sections of the man pages that neither the definition of the command line nor its help contains: exit status, environment, files.

/// Term and its definition.
pub(super) type Entry = (&'static str, &'static str);

/// Sections of one page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    /// Name of the page, as in `ora-stat`.
    name: &'static str,
    pub(super) exit_status: &'static [Entry],
    pub(super) environment: &'static [&'static [Entry]],
    pub(super) files: &'static [&'static [Entry]],
    /// Examples in addition to those of the help text: a command line and its meaning.
    pub(super) examples: &'static [Entry],
    /// Pages in addition to `ora(1)`, each with its section.
    pub(super) see_also: &'static [&'static str],
}

/// Sections of a command's page, by its name.
pub(super) fn of(name: &str) -> Reference {
    PAGES.into_iter().find(|page| page.name == name).unwrap_or(OF_ORA)
}

/// Sections of a command that watches a program, except for those that its page defines itself.
const WATCHED: Reference = Reference {
    name: "",
    exit_status: &PROGRAMS,
    environment: &[&LIBRARY, &RANKS, &SCREEN],
    files: &[&LIBRARIES],
    examples: &[],
    see_also: &["ora-doctor(1)", "libora(7)", "ld.so(8)"],
};

/// Sections of `ora(1)`, and of commands that have none in the table.
const OF_ORA: Reference = Reference {
    name: "ora",
    environment: &[&LIBRARY, &SCREEN, &PAGER],
    files: &[&LIBRARIES, &DOCUMENTS],
    see_also: &["libora(7)", "ld.so(8)"],
    ..WATCHED
};

/// Sections of the commands' pages.
const PAGES: [Reference; 17] = [
    Reference {
        name: "ora-stat",
        environment: &[&LIBRARY, &BARRIERS, &RANKS, &SCREEN, &DEBUG],
        files: &[&LIBRARIES, &STAT_JSON, &DEBUG_FILES],
        see_also: &["ora-profile(1)", "ora-tasks(1)", "ora-doctor(1)", "libora(7)", "perf-stat(1)"],
        ..WATCHED
    },
    Reference {
        name: "ora-tasks",
        environment: &[&LIBRARY, &RANKS, &SCREEN, &DEBUG],
        files: &[&LIBRARIES, &TASKS_JSON, &DEBUG_FILES],
        see_also: &["ora-stat(1)", "ora-profile(1)", "ora-doctor(1)", "libora(7)", "dot(1)"],
        ..WATCHED
    },
    Reference {
        name: "ora-profile",
        environment: &[&LIBRARY, &BARRIERS, &RANKS, &SCREEN],
        files: &[&LIBRARIES, &PROFILE],
        see_also: &["ora-report(1)", "ora-stat(1)", "ora-doctor(1)", "libora(7)", "perf-record(1)"],
        ..WATCHED
    },
    Reference {
        name: "ora-trace",
        environment: &[&LIBRARY, &BARRIERS, &RANKS, &SCREEN],
        files: &[&LIBRARIES, &TRACE],
        see_also: &["ora-report(1)", "ora-profile(1)", "ora-stat(1)", "ora-doctor(1)", "libora(7)"],
        ..WATCHED
    },
    Reference {
        name: "ora-report",
        exit_status: &[
            ("0", "The report was written."),
            ("2", "There is no profile or trace in that folder, or the command line has an error."),
            ("125", "`ora` itself failed, for example because a file can't be written."),
        ],
        environment: &[&PAGER, &SCREEN, &DEBUG],
        files: &[&PROFILE, &TRACE, &DEBUG_FILES, &REPORT_FILES],
        see_also: &["ora-profile(1)", "ora-trace(1)", "ora-stat(1)", "libora(7)", "less(1)"],
        ..WATCHED
    },
    Reference {
        name: "ora-diff",
        exit_status: &[
            ("0", "The comparison was written."),
            ("1", "The wall time has grown by more than `--fail-above` allows."),
            ("2", "A file is not an output of `ora stat --json`, or the command line has an error."),
            FAILED,
        ],
        environment: &[&SCREEN],
        files: &[&DIFF_JSON],
        see_also: &["ora-stat(1)", "ora-report(1)", "libora(7)"],
        ..WATCHED
    },
    Reference {
        name: "ora-scale",
        environment: &[&LIBRARY, &BARRIERS, &SCREEN, &DEBUG],
        files: &[&LIBRARIES, &SCALE_JSON, &DEBUG_FILES],
        see_also: &["ora-stat(1)", "ora-diff(1)", "ora-profile(1)", "ora-doctor(1)", "libora(7)"],
        ..WATCHED
    },
    Reference {
        name: "ora-tune",
        exit_status: &[
            ("0", "The settings were tried; none may be faster."),
            ("125", "`ora` itself failed, or the program's results differ from run to run."),
            ("else", "That of the program, if it fails in its own setting."),
        ],
        environment: &[&LIBRARY, &SCREEN, &DEBUG],
        files: &[&LIBRARIES, &TUNE_JSON],
        see_also: &["ora-scale(1)", "ora-stat(1)", "ora-doctor(1)", "libora(7)"],
        ..WATCHED
    },
    Reference {
        name: "ora-run",
        environment: &[&LIBRARY, &TOOLS],
        see_also: &["ora-doctor(1)", "ora-decode(1)", "ora-validate(1)", "libora(7)", "ld.so(8)"],
        ..WATCHED
    },
    Reference {
        name: "ora-attach",
        exit_status: &[
            ("0", "The process was watched, also if it ended meanwhile."),
            ("1", "It can't be attached to; the message says why."),
            ("2", "There is no such process, or the command line has an error."),
            ("125", "`ora` itself failed."),
        ],
        environment: &[&SCREEN, &DEBUG],
        files: &[&LIBRARIES, &STAT_JSON, &TASKS_JSON, &DEBUG_FILES],
        see_also: &[
            "ora-stat(1)",
            "ora-tasks(1)",
            "ora-profile(1)",
            "ora-trace(1)",
            "ora-report(1)",
            "ora-doctor(1)",
            "libora(7)",
            "ptrace(2)",
        ],
        ..WATCHED
    },
    Reference {
        name: "ora-top",
        exit_status: &[
            ("0", "The process was watched, also if it ended meanwhile."),
            ("1", "It can't be attached to; the message says why."),
            ("2", "There is no such process, or several; there is no terminal; or the command line has an error."),
            PROGRAM_CODE,
            FAILED,
            NO_EXECUTABLE,
            NOT_FOUND,
        ],
        environment: &[&LIBRARY, &BARRIERS, &SCREEN, &DEBUG],
        files: &[&LIBRARIES, &TOP_JSON, &STAT_JSON, &DEBUG_FILES],
        see_also: &["ora-attach(1)", "ora-stat(1)", "ora-doctor(1)", "libora(7)", "top(1)"],
        ..WATCHED
    },
    Reference {
        name: "ora-hang",
        exit_status: &[
            ("0", "No hang was seen."),
            ("1", "The process can't be examined; the message says why."),
            ("2", "There is no such process, or the command line has an error."),
            ("3", "A hang was found."),
            ("125", "`ora` itself failed."),
        ],
        environment: &[&SCREEN],
        files: &[&HANG_JSON, &DEBUG_FILES],
        see_also: &["ora-attach(1)", "ora-doctor(1)", "libora(7)", "ptrace(2)"],
        ..WATCHED
    },
    Reference {
        name: "ora-doctor",
        exit_status: &[
            ("0", "All OpenMP of the program would be seen that can be reported on its runtime."),
            ("1", "Something would not be seen, or that can't be known before the run."),
            ("2", "There is nothing to examine, or the command line has an error."),
            ("125", "`ora` itself failed."),
        ],
        environment: &[&LIBRARY, &TOOLS, &SEARCH],
        files: &[&LIBRARIES, &LINKER, &DOCTOR_JSON],
        see_also: &["ora-run(1)", "ora-stat(1)", "libora(7)", "ld.so(8)", "ldd(1)"],
        ..WATCHED
    },
    Reference {
        name: "ora-decode",
        exit_status: &[
            ("0", "The buffer or log is well-formed, also where the library would refuse entries."),
            ("1", "It is malformed, cut off, or has replies that break the protocol."),
            ("2", "It can't be read, or the command line has an error."),
        ],
        environment: &[&[("(none)", "No variable changes the output.")]],
        files: &[&REQUEST_LOG],
        see_also: &["ora-run(1)", "libora(7)", "xxd(1)", "jq(1)"],
        ..WATCHED
    },
    Reference {
        name: "ora-race",
        exit_status: &[
            ("0", "The program succeeded, and no race was found, or possible ones only."),
            ("66", "There are data races."),
            PROGRAM_CODE,
            ("2", "The command line or a file of suppressions has an error."),
            ("125", "`ora` itself failed, or nothing could be checked."),
            NO_EXECUTABLE,
            NOT_FOUND,
        ],
        environment: &[&SANITIZER, &LIBRARY, &RANKS, &SCREEN],
        files: &[&LIBRARIES, &RACE_JSON],
        see_also: &["ora-validate(1)", "ora-doctor(1)", "libora(7)", "gcc(1)"],
        ..WATCHED
    },
    Reference {
        name: "ora-validate",
        exit_status: &[
            ("0", "The program succeeded, and every check passed."),
            ("1", "The program succeeded, and a rule was broken, nothing was checked, or memory ran short."),
            PROGRAM_CODE,
            ("2", "The command line has an error."),
            FAILED,
            NO_EXECUTABLE,
            NOT_FOUND,
        ],
        environment: &[&LIBRARY, &RANKS],
        files: &[&LIBRARIES, &VALIDATE_JSON],
        see_also: &["ora-run(1)", "ora-doctor(1)", "libora(7)"],
        ..WATCHED
    },
    Reference {
        name: "ora-demo",
        environment: &[&COMPILER, &SCREEN],
        examples: &[
            ("ora demo", "Compile and run the program, and explain its table:"),
            ("CC=gcc-14 ora demo", "The same with another compiler:"),
        ],
        see_also: &["ora-stat(1)", "libora(7)", "gcc(1)"],
        ..WATCHED
    },
];

const PROGRAM_CODE: Entry = ("other", "The program's own exit code. If the program dies of a signal, so does `ora`.");
const FAILED: Entry = ("125", "`ora` itself failed; the program may not have run.");
const NO_EXECUTABLE: Entry = ("126", "The program can't be executed.");
const NOT_FOUND: Entry = ("127", "The program was not found.");

/// Exit status of a command that runs a program.
const PROGRAMS: [Entry; 6] = [
    ("0", "The program succeeded. Of several runs (`ora stat -r`) the first other code counts."),
    ("2", "The command line has an error."),
    FAILED,
    NO_EXECUTABLE,
    NOT_FOUND,
    PROGRAM_CODE,
];

/// Variables that the library reads in the program.
const LIBRARY: [Entry; 4] = [
    ("LD_PRELOAD", "Libraries in it stay preloaded, after those of `ora`; that of a sanitizer stays before them."),
    ("OMP_TOOL", "`disabled`: LLVM's and Intel's runtimes report nothing. See `libora`(7)."),
    ("ORA_DISABLE", "`1`: the library refuses every collector and calls no tool."),
    ("ORA_QUIET", "`1`: the library writes nothing to stderr."),
];

const SANITIZER: [Entry; 2] = [
    (
        "TSAN_OPTIONS",
        "Options of ThreadSanitizer. This command puts `ignore_noninstrumented_modules=1`, `atexit_sleep_ms=0` and \
         `report_thread_leaks=0` in front, so that other values win; `report_bugs=0` is overridden.",
    ),
    ("OMP_NUM_THREADS", "Number of threads; `--threads` and `--vary` set it."),
];

const BARRIERS: [Entry; 1] = [(
    "ORA_IBAR",
    "`late` (set by this command unless the variable is set): the program gets no extra barrier at the end of regions. `early`: \
     barriers are reported in time, by an extra barrier. See `libora`(7).",
)];

const TOOLS: [Entry; 2] = [
    ("OMP_TOOL_LIBRARIES", "Tools of OpenMP 5, separated by colons. Those of `--tool` are put in front."),
    ("OMP_TOOL_VERBOSE_INIT", "`stdout`, `stderr` or a file: how the runtime looks for a tool of OpenMP 5."),
];

/// Variables of launchers.
const RANKS: [Entry; 1] = [(
    "OMPI_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK, SLURM_PROCID",
    "The rank under an MPI launcher: `%r` in the name of an output. Of several ranks each writes a file of its own, with the \
     rank in its name unless the name has `%r` or `%p`.",
)];

const SCREEN: [Entry; 4] = [
    ("COLUMNS", "Width of the output, also in files and pipes."),
    ("NO_COLOR", "Set: no bold and coloured text, unless `--color=always` is given."),
    (
        "CLICOLOR_FORCE, FORCE_COLOR",
        "Set, and not 0: bold and coloured text even in files and pipes, unless NO_COLOR is set.",
    ),
    ("TERM", "`dumb`: no bold and coloured text."),
];

const PAGER: [Entry; 3] = [
    (
        "ORA_PAGER, PAGER",
        "Pager for long reports; the first that is set counts. Empty or `cat`: none. Default: `less`.",
    ),
    ("LESS, LV", "Options of the pagers; `FRX` and `-c` unless they are set."),
    ("LINES", "Height of the terminal: a longer report goes through the pager."),
];

const DEBUG: [Entry; 1] = [(
    "DEBUGINFOD_CACHE_PATH, XDG_CACHE_HOME, HOME",
    "Folder of debug information that clients of debuginfod have fetched. `ora` fetches none itself.",
)];

const SEARCH: [Entry; 3] = [
    ("LD_LIBRARY_PATH, PATH", "Folders in which the program and its libraries are looked for."),
    ("LD_AUDIT, LD_BIND_NOT", "Reported as facts if they are set."),
    ("TMPDIR", "Folder of the dynamic linker's log with `--run`."),
];

const COMPILER: [Entry; 2] =
    [("CC", "The C compiler, with options; default: `gcc`."), ("TMPDIR", "Folder for the program that is compiled.")];

/// Installed libraries.
const LIBRARIES: [Entry; 3] = [
    (
        "../lib/libora.so",
        "The library, relative to the command's folder. It is also looked for beside the command, and in Debian's folder for the processor in ../lib.",
    ),
    (
        "../lib/ora/libora_*.so",
        "Libraries that the command preloads: collectors, profiler, race detector, tracer, validator, request log, guard.",
    ),
    (
        "../lib/ora/preload/",
        "The names in LD_PRELOAD: files that load these libraries in programs for glibc, and do nothing in others.",
    ),
];

const PROFILE: [Entry; 4] = [
    ("ora-profile", "Folder of a profile without `-o`; `ora-profile.2` and so on where it has a profile already."),
    ("DIR/pid-N/records, DIR/rank-R.pid-N/records", "Samples of a process."),
    ("/tmp/perf-PID.map", "Names of code that a process made at run time; copied into the process's folder."),
    ("/proc/sys/kernel/perf_event_paranoid", "2 or less: perf events may be used."),
];

const TRACE: [Entry; 2] = [
    ("ora-trace", "Folder of a trace without `-o`; `ora-trace.2` and so on where it has a trace already."),
    (
        "DIR/pid-N/events, DIR/pid-N/records",
        "Events of a process, and what the process and its code are; `rank-R.pid-N` under an MPI launcher.",
    ),
];

const DEBUG_FILES: [Entry; 1] =
    [("/usr/lib/debug", "Debug information of stripped programs and libraries, by build id or by name.")];

const LINKER: [Entry; 1] = [("/etc/ld.so.preload", "Libraries that the system preloads; they are reported.")];

const DOCUMENTS: [Entry; 2] = [
    ("../share/doc/ora/", "Documentation; `troubleshooting.md` lists all messages."),
    ("../include/ora/", "Headers for collectors and tools."),
];

const STAT_JSON: [Entry; 1] = [("../share/doc/ora/stat-json.md", "Keys of the JSON output.")];
const TASKS_JSON: [Entry; 1] = [("../share/doc/ora/tasks-json.md", "Keys of the JSON output.")];
const REPORT_FILES: [Entry; 2] = [
    ("../share/doc/ora/report-json.md", "Keys of the JSON output."),
    ("../share/doc/ora/parquet.md", "Columns of the tables that `--parquet` writes."),
];
const DIFF_JSON: [Entry; 1] = [("../share/doc/ora/diff-json.md", "Keys of the JSON output.")];
const SCALE_JSON: [Entry; 1] = [("../share/doc/ora/scale-json.md", "Keys of the JSON output.")];
const TUNE_JSON: [Entry; 1] = [("../share/doc/ora/tune-json.md", "Keys of the JSON output.")];
const TOP_JSON: [Entry; 1] = [("../share/doc/ora/top-json.md", "Keys of the JSON output.")];
const HANG_JSON: [Entry; 1] = [("../share/doc/ora/hang-json.md", "Keys of the JSON output.")];
const DOCTOR_JSON: [Entry; 1] = [("../share/doc/ora/doctor-json.md", "Keys of the JSON output.")];
const RACE_JSON: [Entry; 1] = [("../share/doc/ora/race-json.md", "Keys of the JSON output.")];
const VALIDATE_JSON: [Entry; 1] = [("../share/doc/ora/validate-json.md", "Keys of the JSON output.")];
const REQUEST_LOG: [Entry; 2] = [
    ("../share/doc/ora/request-log.md", "Format of a log of requests."),
    ("../share/doc/ora/decode-json.md", "Keys of the JSON output."),
];
