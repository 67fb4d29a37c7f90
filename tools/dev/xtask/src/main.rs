//! Chores of the project: generated files, the list of exported symbols, proofs from the machine code, every test.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

mod archive;
mod autogroup;
mod book;
mod difference;
mod distro;
mod emulated;
mod exports;
mod fetched;
mod gate;
mod headers;
mod install;
mod jobs;
mod layers;
mod needs;
mod panics;
mod portable;
mod prose;
mod published;
mod reasons;
mod release;
mod root;
mod runtimes;
mod sanitizers;
mod schemas;
mod size;
mod sources;
mod test_compiler;
mod test_programs;
mod workspace;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};
use emulated::Processor;

/// Chores of the project, called as `cargo xtask`.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs every check and the quick tests, after installing what they need.
    Test {
        /// All tests, and the slow steps: all thread counts, valgrind, the signal stress test.
        #[arg(long)]
        long: bool,
        /// Also the slow tests. CI does so.
        #[arg(long)]
        all: bool,
        /// Runs the compat tests on an emulated processor instead; only root can, on Debian.
        #[arg(long, conflicts_with_all = ["long", "all"])]
        arch: Option<Processor>,
        /// On an emulated processor: only tests whose names have one of these words.
        #[arg(requires = "arch")]
        words: Vec<String>,
    },
    /// Writes the headers that C programs include.
    Headers {
        /// Writes nothing and fails when one is stale.
        #[arg(long)]
        check: bool,
    },
    /// Writes the JSON Schemas of the documents, and the tables of keys in their pages.
    Schemas {
        /// Writes nothing and fails when one is stale.
        #[arg(long)]
        check: bool,
    },
    /// Writes the list of symbols that libora.so exports.
    Exports {
        /// Writes nothing and fails when the library exports anything else.
        #[arg(long)]
        check: bool,
    },
    /// Prints the size of libora.so, and fails when it is too large.
    Size,
    /// Builds everything and puts the command, libraries, headers, man pages and completions in place.
    Install {
        /// The folder that gets bin, lib, include and share.
        #[arg(long, value_name = "DIR")]
        prefix: PathBuf,
        /// Writes below this folder instead of the system's root, as packagers need it.
        #[arg(long, value_name = "DIR", env = "DESTDIR")]
        destdir: Option<PathBuf>,
    },
    /// Builds the command and its libraries for every glibc since 2.17, as packages have them.
    Portable,
    /// Builds every package, with checksums and a bill of materials, in target/dist, from the checked-out commit.
    Release {
        /// Builds it twice, in two folders, and fails when a byte differs.
        #[arg(long)]
        check: bool,
        /// Builds nothing, and tries the packages of target/dist in old and new Debian systems; only root can.
        #[arg(long = "try", conflicts_with = "check")]
        trial: bool,
        /// Builds for another processor, below target/PROCESSOR; only root can, on Debian.
        #[arg(long, conflicts_with_all = ["check", "trial"])]
        arch: Option<Processor>,
    },
    /// Builds the package for Python's pip, ora-openmp, in target/wheels.
    Wheel {
        /// Builds for another processor, below target/PROCESSOR; only root can, on Debian.
        #[arg(long)]
        arch: Option<Processor>,
    },
    /// Removes the files of an installation, and folders made for them that are empty then, and prints each.
    Uninstall {
        /// The folder that `install` got.
        #[arg(long, value_name = "DIR")]
        prefix: PathBuf,
    },
    /// Builds Debian packages, in target/debian.
    Deb,
    /// Runs unit tests under valgrind, and those and the compat programs on a library that AddressSanitizer's and
    /// ThreadSanitizer's checks are compiled into.
    Sanitize,
    /// Runs the compat tests in another release of Debian, with its compilers and OpenMP runtimes; only root can.
    Distro {
        /// The release.
        release: distro::Release,
        /// Release of gcc that builds the programs, by default the release's newest.
        #[arg(long, value_name = "NUMBER")]
        gcc: Option<u32>,
        /// Only tests whose names have one of these words.
        words: Vec<String>,
    },
    /// Fetches or builds OpenMP runtimes beside the installed ones, in target/runtimes, for `ora validate --matrix`.
    Runtimes,
    /// Runs other people's suites, which are in these folders: LLVM's tests of OMPT, TR2's suite, or programs. Fetches nothing.
    Suites {
        /// A folder with a suite (`compat-tests/suites.sh` says how it is recognised).
        #[arg(required = true)]
        folders: Vec<PathBuf>,
    },
    /// Builds libora_pomp.a, for instrumented programs that are linked statically, also with the OpenMP runtime.
    Archive,
    /// Fails when modules import each other against the rules, or machine code is outside of its folder.
    Layers,
    /// Runs a job of CI: the commands of .github/workflows that have no other name here.
    Ci { job: jobs::Job },
    /// Builds the book of docs/ in target/book, after checking its links and the commands in its samples.
    Book {
        /// Checks, and builds nothing.
        #[arg(long)]
        check: bool,
    },
    /// Fails when the language of comments and documents is out of its bounds: opening words, private words, long sentences.
    Prose {
        /// Prints every place and every document's figures.
        #[arg(short, long)]
        verbose: bool,
    },
    /// Fails when code that runs on a program's threads can panic, allocate or touch a lazy thread-local.
    Panics,
}

fn main() -> ExitCode {
    if let Some(code) = test_compiler::run_if_called() {
        return code;
    }
    let result = match Arguments::parse().task {
        Task::Test { arch: Some(Processor::Aarch64), words, .. } => emulated::run(&words),
        Task::Test { long, all, .. } => gate::run(long, all),
        Task::Headers { check } => headers::generate(check),
        Task::Schemas { check } => schemas::generate(check),
        Task::Exports { check } => exports::list(check),
        Task::Ci { job } => jobs::run(job),
        Task::Size => size::check(),
        Task::Distro { release, gcc, words } => distro::run(release, gcc, &words),
        Task::Sanitize => sanitizers::all(),
        Task::Runtimes => runtimes::all(),
        Task::Suites { folders } => {
            workspace::run(Command::new("bash").arg(workspace::root().join("compat-tests/suites.sh")).args(folders))
        }
        Task::Archive => archive::build().map(drop),
        Task::Layers => layers::check(),
        Task::Book { check: true } => book::check(),
        Task::Book { check: false } => book::build(),
        Task::Prose { verbose } => prose::check(verbose),
        Task::Panics => panics::check(),
        Task::Install { prefix, destdir } => install::install(&prefix, destdir.as_deref()),
        Task::Portable => portable::build().map(drop),
        Task::Wheel { arch: Some(Processor::Aarch64) } => emulated::pack("wheel"),
        Task::Release { arch: Some(Processor::Aarch64), .. } => emulated::pack("release"),
        Task::Wheel { arch: None } => release::wheel().map(drop),
        Task::Uninstall { prefix } => install::uninstall(&prefix),
        Task::Deb => release::debian().map(drop),
        Task::Release { trial: true, .. } => release::trial::all(),
        Task::Release { check: true, .. } => release::reproduces(),
        Task::Release { .. } => release::build(),
    };
    if let Err(error) = result {
        eprintln!("error: {error:#}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
