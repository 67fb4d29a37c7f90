//! The command `throughput`: arrays of five to eight requests, as many as can be, made by chance alone. Every byte of every
//! answer is compared with what the fuzzer's reference says. `fuzz` finds its way by coverage and looks at much more in each
//! step; this looks at little, a thousand million times, at the library as it is shipped, and from many threads at once.
//!
//! The library is preloaded, so nothing of it may be linked in: this program uses neither the crate `fuzz` nor any that it
//! depends on, but compiles the reference itself.
//!
//! On the embed host, with one thread, all requests are made; with more threads, or in real parallel regions of libgomp's, all but
//! STOP, so that every answer is still known.
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

/// Who tells the library what threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Host {
    /// This program, through `ora_embed.h`.
    Embed,
    /// libgomp, whose regions it runs.
    Libgomp,
}

/// Makes short arrays of requests as fast as it can.
#[derive(Debug, Parser)]
struct Options {
    /// Who tells of regions.
    #[arg(long, value_enum, default_value = "embed")]
    host: Host,
    /// How many threads ask.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// How long at most.
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// How many arrays at most, in millions.
    #[arg(long, default_value_t = u64::MAX / 1_000_000)]
    millions: u64,
    /// Where chance begins.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The library. Default: that of the release build.
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
    match options.host {
        Host::Embed => embed::run(library, options.threads, options.seed),
        Host::Libgomp => gomp::run(library, options.threads, options.seed),
    }
    println!("{:?}, {} threads, seed {}: {}", options.host, options.threads, options.seed, counts::told());
    Ok(())
}

/// Starts this program again, with the library, and libgomp behind it, in it from the begin. Returns only where that fails.
fn again(options: &Options) -> Result<std::io::Error> {
    let built = env::current_exe()?.parent().context("a file lies in a folder")?.join("libora.so");
    let library = options.library.clone().unwrap_or(built);
    let library = library.canonicalize().with_context(|| library.display().to_string())?;
    // What is preloaded already, a sanitizer's runtime perhaps, stays first.
    let mut preload = env::var_os("LD_PRELOAD").unwrap_or_default();
    preload.push(":");
    preload.push(library);
    if options.host == Host::Libgomp {
        preload.push(":libgomp.so.1");
    }
    let mut command = Command::new(env::current_exe()?);
    Ok(command.args(env::args_os().skip(1)).env("LD_PRELOAD", preload).env(INSIDE, "1").exec())
}
