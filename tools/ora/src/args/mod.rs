//! The command line of `ora`, as clap types: their doc comments are the help texts.

mod duration;
mod help;
mod live;
mod race;
mod recording;
mod report;
mod scale;
mod signal;
mod thread_counts;
mod tune;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use ::decode::Format;
use clap::error::{ContextKind, ErrorKind};
use clap::{ArgAction, Args as Group, Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use linking::search_path;
use terminal::printable::Shown;
use terminal::screen::Screen;
use validate_layout::release::Release;

pub(crate) use self::live::{Attach, Hang, Top, Watch};
pub(crate) use self::race::{Chunks, Race};
pub(crate) use self::recording::{Clock, Events, Profile, Trace};
pub(crate) use self::report::{Diff, Report, View};
pub(crate) use self::scale::Scale;
pub(crate) use self::signal::Chosen;
pub(crate) use self::thread_counts::Counts;
pub(crate) use self::tune::Tune;

/// Samples per second, unless the user chooses another rate. Prime, so that few programs work in step with it.
pub(crate) const USUAL_RATE: u32 = 97;

/// Parses the command line of this process. Exits after printing help or reporting a mistake.
pub(crate) fn parse() -> Args {
    let words: Vec<OsString> = env::args_os().collect();
    let is_brief = words.iter().take_while(|word| *word != "--").any(|word| word == "-h");
    let parsed = command(is_brief).try_get_matches_from(words).and_then(|found| Args::from_arg_matches(&found));
    parsed.unwrap_or_else(|error| match program_without_command(&error) {
        Some(program) => {
            let hint = format!("`ora stat -- {program}` runs it, and shows where its threads' time goes");
            Args::command()
                .error(ErrorKind::InvalidSubcommand, format!("'{program}' is a program, not a command of ora. {hint}"))
                .exit()
        }
        None => error.exit(),
    })
}

/// Definition of the command line. If `is_brief`, without the notes below the options, as `-h` shows it.
fn command(is_brief: bool) -> Command {
    if !is_brief {
        return Args::command();
    }
    Args::command().after_help(help::BRIEF).mut_subcommands(|command| command.after_help(help::BRIEF))
}

/// Program in the place of a command, as in `ora ./program`.
fn program_without_command(error: &clap::Error) -> Option<String> {
    let word =
        error.get(ContextKind::InvalidSubcommand).filter(|_| error.kind() == ErrorKind::InvalidSubcommand)?.to_string();
    search_path::file(word.as_ref()).is_some().then(|| word.shown().to_string())
}

/// Performance tools for OpenMP programs on GNU, LLVM and Intel runtimes.
#[derive(Debug, Parser)]
#[command(name = "ora", version, after_help = help::COMMAND, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Task,
    /// Accepted by every command; those with styled text have it in their own options as well.
    #[command(flatten)]
    screen: Screen,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Run a program and show where its threads' time went
    Stat(Stat),
    /// Run a program and sample what its threads do, with call stacks
    Profile(Profile),
    /// Run a program and record the events of its threads with their times
    Trace(Trace),
    /// Run a program and show what its tasks cost, and which are too small
    Tasks(Tasks),
    /// Show a profile of `ora profile`, or a trace of `ora trace`
    Report(Report),
    /// Compare two outputs of `ora stat --json`, two profiles, or two traces
    Diff(Diff),
    /// Run a program with several numbers of threads and show the speed-up
    Scale(Scale),
    /// Search for the environment settings with which a program is fastest
    Tune(Tune),
    /// Run a program with a collector or tools of your own
    Run(Run),
    /// Watch a process that is already running, for a while
    Attach(Attach),
    /// Show live where a program's time goes, once a second
    Top(Top),
    /// Show who waits for whom in a process that seems to hang, without ending it
    Hang(Hang),
    /// Check whether a program's OpenMP can be observed; if not, say why and what to do
    Doctor(Doctor),
    /// Print the content of a request buffer, or of a log of requests
    Decode(Decode),
    /// Run a program built with -fsanitize=thread and show its data races
    Race(Race),
    /// Run a program and check its runtime's OMPT against the OpenMP specification
    Validate(Validate),
    /// Compile a small OpenMP program, run it under `ora stat`, and explain the table
    Demo,
    /// Write man pages and shell completions, for an installation
    #[command(hide = true)]
    Pages(Pages),
    /// Write the stand-ins for the libraries that the command preloads, for an installation
    #[command(hide = true)]
    StandIns(StandIns),
}

#[derive(Debug, Group)]
pub(crate) struct StandIns {
    /// The installation's folder `lib`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Group)]
pub(crate) struct Pages {
    /// The installation's folder `share`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Group)]
#[command(after_help = help::STAT)]
pub(crate) struct Stat {
    /// Write one JSON object in place of the table (keys: share/doc/ora/stat-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stderr; - is stdout; %r: rank, %p: process of ora, %h: host
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Run the program N times, and show means and standard deviations
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: u32,
    /// Also write a self-contained page for browsers to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Ignore processes that the program starts
    #[arg(long)]
    pub(crate) no_follow: bool,
    /// Rows for threads, and at most ten for child processes: a number, or `all`
    #[arg(long, value_name = "N", default_value = "32", value_parser = rows)]
    pub(crate) rows: usize,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Debug, Group)]
#[command(after_help = help::TASKS)]
pub(crate) struct Tasks {
    /// Write one JSON object in place of the table (keys: share/doc/ora/tasks-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Show the tree of tasks below the table (text), or in place of it (dot, for Graphviz, or json)
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) tree: Option<TreeFormat>,
    /// Number of tasks in the tree, which are the first that were created
    #[arg(long, value_name = "N", default_value = "1000", value_parser = instances)]
    pub(crate) tree_max: usize,
    /// Write to FILE in place of stderr; - is stdout; %r: rank, %p: process of ora, %h: host
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Ignore processes that the program starts
    #[arg(long)]
    pub(crate) no_follow: bool,
    /// Rows of each table: a number, or `all` [default: 10 places, 32 threads, 10 child processes]
    #[arg(long, value_name = "N", value_parser = rows)]
    pub(crate) rows: Option<usize>,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

/// Format of a task tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TreeFormat {
    /// Indented lines
    Text,
    /// A graph for Graphviz
    Dot,
    /// A list of tasks with their parents
    Json,
}

#[derive(Debug, Group)]
#[command(after_help = help::RUN)]
pub(crate) struct Run {
    /// Collector to load: a shared library that uses the Sun Collector API
    #[arg(long, value_name = "LIB", action = ArgAction::Append)]
    pub(crate) collector: Vec<PathBuf>,
    /// Tool to load: a shared library that uses OMPT (OpenMP 5 or Technical Report 2); repeatable
    #[arg(long, value_name = "LIB", action = ArgAction::Append)]
    pub(crate) tool: Vec<PathBuf>,
    /// Log every request of the collector to FILE, for `ora decode`
    #[arg(long, value_name = "FILE")]
    pub(crate) log_requests: Option<PathBuf>,
    /// Load only the library, so that `ora attach` works later on any runtime
    #[arg(long, conflicts_with_all = ["collector", "tool", "log_requests"])]
    pub(crate) standby: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Debug, Group)]
#[command(after_help = help::DOCTOR)]
pub(crate) struct Doctor {
    /// Write one JSON object in place of the text (keys: share/doc/ora/doctor-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Run the program with the library, and check what it observed
    #[arg(long, requires = "program")]
    pub(crate) run: bool,
    /// Tool of OMPT that `ora run --tool LIB` would load
    #[arg(long, value_name = "LIB", action = ArgAction::Append, requires = "program")]
    pub(crate) tool: Vec<PathBuf>,
    /// Program (with --run, also its arguments) or process ID; without it, this installation is checked
    #[arg(trailing_var_arg = true, value_name = "PROGRAM|PID")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Debug, Group)]
#[command(after_help = help::DECODE)]
pub(crate) struct Decode {
    /// The buffer or log, or `-` for stdin
    #[arg(required_unless_present = "numbers")]
    pub(crate) file: Option<PathBuf>,
    /// Format of FILE: raw (bytes), hex (plain, or as xxd, hexdump, od or gdb print it), c (a C array
    /// of bytes, or with --words of `int`s), log (by `ora run --log-requests`)
    /// [default: found by its content]
    #[arg(long, hide_possible_values = true, verbatim_doc_comment)]
    pub(crate) format: Option<Format>,
    /// Read the numbers in the text as `int`s (arrays declared as `int` are recognised without it)
    #[arg(long)]
    pub(crate) words: bool,
    /// The buffer has come back from the library: check the replies
    #[arg(long)]
    pub(crate) reply: bool,
    /// Print one JSON object in place of the text (keys: share/doc/ora/decode-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Print all numbers and names of the interface
    #[arg(long, conflicts_with_all = ["file", "format", "words", "reply", "json"])]
    pub(crate) numbers: bool,
}

#[derive(Debug, Group)]
#[command(after_help = help::VALIDATE)]
pub(crate) struct Validate {
    /// Write one JSON object in place of the report (keys: share/doc/ora/validate-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stderr; - is stdout; %r: rank, %p: process of ora, %h: host
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Check strictly against this release of OpenMP (5.0, 5.1, 5.2 or 6.0): known deviations of libomp
    /// are violations
    #[arg(long, value_name = "RELEASE", value_parser = release, verbatim_doc_comment)]
    pub(crate) spec: Option<Release>,
    /// Compile programs with every construct by gcc and clang, run them on libgomp and each given
    /// runtime (libgomp.so.1, libomp.so.5 or libiomp5.so), and write a Markdown table of the rules
    #[arg(long, conflicts_with_all = ["json", "trace"], verbatim_doc_comment)]
    pub(crate) matrix: bool,
    /// Write every event to FILE, one a line, with the results of the runtime's entry points
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// The program and its arguments; with --matrix, runtimes in addition to the system's libgomp
    #[arg(required_unless_present = "matrix", trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

fn release(text: &str) -> Result<Release, String> {
    Release::named(text).ok_or_else(|| "5.0, 5.1, 5.2 or 6.0".to_owned())
}

fn rows(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        number => number.parse().map_err(|_| "a number, or `all`".to_owned()),
    }
}

/// Each takes 64 bytes.
const MAX_INSTANCES: usize = 10_000_000;

fn instances(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_INSTANCES).contains(number));
    number.ok_or_else(|| format!("a number from 1 to {MAX_INSTANCES}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn stat(words: &[&str]) -> Stat {
        match Args::try_parse_from([&["ora", "stat"], words].concat()).unwrap().command {
            Task::Stat(stat) => stat,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_help_of_each_command_fits_two_screens() {
        let commands =
            Args::command().get_subcommands().map(|command| command.get_name().to_owned()).collect::<Vec<_>>();
        for words in commands.iter().map(|name| vec!["ora", name, "--help"]).chain([vec!["ora", "--help"]]) {
            let help = command(false).try_get_matches_from(words).unwrap_err().render().to_string();
            let widest = help.lines().map(|line| line.chars().count()).max();
            assert!(help.lines().count() <= 60 && widest <= Some(120), "{widest:?}:\n{help}");
        }
    }

    #[test]
    fn what_follows_the_program_belongs_to_it() {
        for words in
            [&["--json", "--", "./a", "-r", "2", "--", "--json"][..], &["--json", "./a", "-r", "2", "--", "--json"]]
        {
            let stat = stat(words);
            assert!(stat.json && stat.repeat == 1);
            assert_eq!(stat.program, ["./a", "-r", "2", "--", "--json"]);
        }
    }

    #[test]
    fn thread_rows_are_a_number_or_all() {
        assert_eq!(stat(&["a"]).rows, 32);
        assert_eq!(stat(&["--rows", "all", "a"]).rows, usize::MAX);
        assert_eq!(rows("7"), Ok(7));
        assert!(rows("some").is_err());
    }
}
