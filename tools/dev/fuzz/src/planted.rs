//! Search for planted bugs, one of each class, which measures the time until each is found.

use crate::build;
use anyhow::{Context, Result, ensure};
use fuzz::bug::Bug;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Searches for each bug of `planted/` whose name starts with `name`.
pub(crate) fn look_for(name: &str, minutes: u64) -> Result<()> {
    let patches = build::project().join("tools/dev/fuzz/planted");
    let entries = fs::read_dir(&patches).with_context(|| patches.display().to_string())?;
    let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    entries.sort();
    for patch in entries {
        let stem = patch.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if patch.extension().is_some_and(|e| e == "patch") && stem.starts_with(name) {
            println!("{stem}: {}", look_for_one(&patch, &stem, minutes)?);
        }
    }
    Ok(())
}

fn look_for_one(patch: &Path, name: &str, minutes: u64) -> Result<String> {
    // One folder for all bugs, with fresh file times (`-m`): cargo rebuilds the project, but not its dependencies.
    let copy = build::out_dir().join("planted");
    let _ = fs::remove_dir_all(&copy);
    fs::create_dir_all(&copy)?;
    let script = r#"tar -C "$1" --exclude=./target --exclude=./.git -cf - . | tar -C "$2" -xmf -"#;
    let status = Command::new("sh").args(["-euc", script, "sh"]).args([&build::project(), &copy]).status()?;
    ensure!(status.success(), "the project can't be copied: {status}");
    let bug = Bug::read(&fs::read_to_string(patch)?).with_context(|| format!("{name} is no patch of one piece"))?;
    let file = copy.join(&bug.file);
    let planted = bug.plant(&fs::read_to_string(&file)?).with_context(|| format!("{name} does not fit"))?;
    fs::write(file, planted)?;
    let target = build::target(&copy, "planted-build", build::Build::Guided)?;
    let corpus = copy.join("corpus");
    fs::create_dir_all(&corpus)?;
    let mut command = build::run(&target);
    command.current_dir(&copy).arg(format!("-max_total_time={}", minutes * 60)).args(["-max_len=256"]).arg(&corpus);
    let begin = Instant::now();
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output().context("the target starts")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut runs =
        said.lines().filter_map(|line| line.strip_prefix('#')?.split_whitespace().next()?.parse::<u64>().ok());
    let (seconds, runs) = (begin.elapsed().as_secs_f64(), runs.next_back().unwrap_or(0));
    let how = if output.status.success() { "NOT found" } else { "found" };
    let what = said.lines().find(|line| line.contains("panicked") || line.contains("SEGV")).unwrap_or_default();
    Ok(format!("{how} in {seconds:.1} s, about {runs} executions  {what}"))
}
