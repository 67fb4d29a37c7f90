//! The command `fuzz`: builds a coverage-guided target with the compiler's instrumentation and runs it, or plants known bugs in a copy of
//! the project and measures the time until each is found.
#![allow(clippy::print_stdout)] // it is what a command does

mod build;
mod coverage;
mod parser;
mod planted;

use anyhow::{Context, Result, ensure};
use build::Build;
use clap::Parser;
use std::path::PathBuf;

/// Plays generated files against the library until a result differs from the reference's.
#[derive(Debug, Parser)]
struct Options {
    /// Duration in minutes (for each planted bug: at most).
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Folder for files that reach new coverage. Default: a folder in the target folder.
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Plays a runtime that reports only regions, so that other events are unsupported.
    #[arg(long)]
    plain: bool,
    /// Turns the library off (`ORA_DISABLE=1`).
    #[arg(long, conflicts_with = "plain")]
    off: bool,
    /// Builds with AddressSanitizer. Needs RUSTC_BOOTSTRAP=1: never for a product.
    #[arg(long)]
    asan: bool,
    /// Plants each of the known bugs (or the bug of this name) in a copy of the project, and searches for it with an
    /// empty corpus.
    #[arg(long, num_args = 0..=1, default_missing_value = "")]
    planted: Option<String>,
    /// Generates no files; prints the lines and branches that the files reach. Needs llvm-profdata and llvm-cov of the
    /// compiler's LLVM; counts branches with RUSTC_BOOTSTRAP=1 only.
    #[arg(long)]
    coverage: bool,
    /// Fuzzes a parser of bytes from outside: a name of a folder in tools/dev/fuzz/corpus-parsers, or `all`, which share
    /// the minutes.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["plain", "off", "asan", "planted", "coverage", "corpus"])]
    parser: Option<String>,
    /// Further arguments for libFuzzer, behind `--`: files to play, `-jobs=2`, `-merge=1`.
    #[arg(last = true)]
    more: Vec<String>,
}

fn main() -> Result<()> {
    build::wrap_rustc()?;
    let options = Options::parse();
    if let Some(name) = &options.planted {
        return planted::look_for(name, options.minutes);
    }
    if let Some(name) = &options.parser {
        return parser::fuzz(name, options.minutes, &options.more);
    }
    let corpus = options.corpus.unwrap_or_else(|| build::out_dir().join("corpus"));
    if options.coverage {
        return coverage::measure(&[corpus, build::project().join("tools/dev/fuzz/corpus")]);
    }
    let (name, how) = if options.asan { ("asan", Build::Asan) } else { ("coverage", Build::Guided) };
    let target = build::target(&build::project(), name, how)?;
    let found = build::out_dir().join("found");
    for folder in [&found, &corpus] {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut command = build::run(&target);
    let kind = [(options.plain, "ORA_FUZZ_PLAIN"), (options.off, "ORA_DISABLE")];
    command.envs(kind.into_iter().filter(|(wanted, _)| *wanted).map(|(_, name)| (name, "1")));
    command.arg(format!("-artifact_prefix={}/", found.display()));
    command.arg(format!("-max_total_time={}", options.minutes * 60)).args(["-max_len=256", "-print_final_stats=1"]);
    command.args(&options.more);
    if !options.more.iter().any(|argument| !argument.starts_with('-')) {
        command.arg(corpus).arg(build::project().join("tools/dev/fuzz/corpus"));
    }
    let status = command.status().context("the target starts")?;
    ensure!(status.success(), "{status}: the file is in {}; it belongs into tools/dev/fuzz/corpus", found.display());
    println!("nothing found");
    Ok(())
}
