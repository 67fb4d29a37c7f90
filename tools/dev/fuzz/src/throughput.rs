//! The command `throughput`: random arrays of five to eight requests, as many as possible. Every byte of every answer is compared with the
//! fuzzer's reference. `fuzz` is guided by coverage and checks much more in each step. This program checks little, but a thousand million
//! times, with the library as it is shipped, and from many threads simultaneously.
//!
//! The library is preloaded, so none of its crates may be linked in. This program uses neither the crate `fuzz` nor any that it depends on,
//! but compiles the reference itself.
//!
//! On the embed interface with one thread, all requests are made. With more threads, or in real parallel regions of libgomp, all except
//! STOP are made, so that every answer is still known.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

mod driver;
#[allow(dead_code, unused_imports, unreachable_pub, missing_docs, reason = "the fuzzer uses more of it")]
mod reference;

use std::env;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use driver::{Library, counts, embed, gomp};

/// Runtime that reports the threads' states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Runtime {
    /// This program, through `ora_embed.h`.
    Embed,
    /// libgomp, whose regions the program runs.
    Libgomp,
}

/// Makes short arrays of requests at full speed.
#[derive(Debug, Parser)]
struct Options {
    /// Runtime that reports the regions.
    #[arg(long, value_enum, default_value = "embed", alias = "host")]
    runtime: Runtime,
    /// Number of threads that make requests.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Largest duration in minutes.
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Largest number of arrays, in millions.
    #[arg(long, default_value_t = u64::MAX / 1_000_000)]
    millions: u64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Path of the library. Default: that of the release build.
    #[arg(long)]
    library: Option<PathBuf>,
}

const INSIDE: &str = "ORA_THROUGHPUT_IS_INSIDE";

fn main() -> Result<()> {
    let options = Options::parse();
    if env::var_os(INSIDE).is_none() {
        return Err(again(&options)?).context("this program starts again");
    }
    counts::limit(options.millions.saturating_mul(1_000_000), Duration::from_secs(60 * options.minutes));
    let library = Library::find()?;
    match options.runtime {
        Runtime::Embed => embed::run(library, options.threads, options.seed),
        Runtime::Libgomp => gomp::run(library, options.threads, options.seed),
    }
    println!("{:?}, {} threads, seed {}: {}", options.runtime, options.threads, options.seed, counts::summary());
    Ok(())
}

/// Executes this program again with the library and then libgomp preloaded. Returns only if that fails.
fn again(options: &Options) -> Result<std::io::Error> {
    let built = env::current_exe()?.parent().context("a file lies in a folder")?.join("libora.so");
    let library = options.library.clone().unwrap_or(built);
    let library = library.canonicalize().with_context(|| library.display().to_string())?;
    // Libraries that are already preloaded, such as a sanitizer's runtime, stay first.
    let mut preload = env::var_os("LD_PRELOAD").unwrap_or_default();
    preload.push(":");
    preload.push(library);
    if options.runtime == Runtime::Libgomp {
        preload.push(":libgomp.so.1");
    }
    let mut command = Command::new(env::current_exe()?);
    Ok(command.args(env::args_os().skip(1)).env("LD_PRELOAD", preload).env(INSIDE, "1").exec())
}
