//! Fuzzing of the parsers of untrusted bytes, each from its own corpus.

use crate::build::{self, Build};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::time::Instant;

/// Maximum length of a file.
const LONGEST: usize = 4096;

/// Fuzzes the parser of this name, or all parsers, for this many minutes in total.
pub(crate) fn fuzz(name: &str, minutes: u64, more: &[String]) -> Result<()> {
    let known = names()?;
    let chosen: Vec<_> = known.iter().filter(|known| name == "all" || *known == name).collect();
    ensure!(!chosen.is_empty(), "no parser is called {name}: there are {}, and `all`", known.join(", "));
    let target = build::target(&build::project(), "parsers", Build::Parsers)?;
    let seconds = (minutes * 60 / chosen.len() as u64).max(1);
    for name in chosen {
        // Files that reach new coverage are kept in a folder of their own; the project's corpus doesn't change.
        let [found, corpus] = ["found", "corpus-parsers"].map(|folder| build::out_dir().join(folder).join(name));
        for folder in [&found, &corpus] {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let mut command = build::run(&target);
        command.env("ORA_FUZZ_PARSER", name).arg(format!("-artifact_prefix={}/", found.display()));
        command.arg(format!("-max_total_time={seconds}")).arg(format!("-max_len={LONGEST}"));
        // A file that takes seconds is a finding as well.
        command.args(["-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1"]).args(more);
        if !more.iter().any(|argument| !argument.starts_with('-')) {
            command.arg(corpus).arg(build::project().join("tools/dev/fuzz/corpus-parsers").join(name));
        }
        println!("{name}: {seconds} s");
        let begin = Instant::now();
        let status = command.status().context("the target starts")?;
        ensure!(
            status.success(),
            "{name}: {status} after {:.1} s: the file is in {}; it belongs into tools/dev/fuzz/corpus-parsers/{name}",
            begin.elapsed().as_secs_f64(),
            found.display()
        );
    }
    println!("nothing found");
    Ok(())
}

/// Names of the parsers, from the folders of the corpus; a test compares them with the list.
fn names() -> Result<Vec<String>> {
    let folder = build::project().join("tools/dev/fuzz/corpus-parsers");
    let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut names =
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}
