//! Coverage report: plays the files in every kind of process, and counts with LLVM's tools.

use crate::build::{self, Build};
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Environments of the kinds of processes. A value that a setting doesn't allow is ignored.
const KINDS: [&[(&str, &str)]; 4] =
    [&[], &[("ORA_FUZZ_PLAIN", "1")], &[("ORA_DISABLE", "1")], &[("ORA_FUZZ_FIGHT", "1"), ("ORA_IBAR", "soon")]];

/// Plays the files of these folders, and prints a table.
pub(crate) fn measure(folders: &[PathBuf]) -> Result<()> {
    let target = build::target(&build::project(), "measured", Build::Measured)?;
    let profiles = build::out_dir().join("profiles");
    let _ = fs::remove_dir_all(&profiles);
    fs::create_dir_all(&profiles).with_context(|| profiles.display().to_string())?;
    for kind in KINDS {
        let mut play = build::run(&target);
        play.envs(kind.iter().copied()).env("LLVM_PROFILE_FILE", profiles.join("%p.profraw"));
        play.args(["-runs=0", "-max_len=4096"]).args(folders.iter().filter(|folder| folder.is_dir()));
        let status = play.stderr(Stdio::null()).status().context("the target starts")?;
        ensure!(status.success(), "{kind:?}: {status}");
    }
    let raw = fs::read_dir(&profiles)?.map(|entry| Ok(entry?.path().into())).collect::<Result<Vec<OsString>>>()?;
    let all = profiles.join("all.profdata");
    run(Command::new("llvm-profdata").args(["merge", "-sparse", "-o"]).arg(&all).args(raw))?;
    let library = build::project().join("ora/src").canonicalize()?;
    let mut profile = OsString::from("-instr-profile=");
    profile.push(&all);
    run(Command::new("llvm-cov").args(["report", "--show-branch-summary"]).arg(&target).arg(&profile).arg(&library))?;
    println!("\nWhere: llvm-cov show --show-branches=count {} {} FILE", target.display(), profile.display());
    Ok(())
}

fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().display().to_string();
    let status = command.status().with_context(|| format!("{name} (`rustup component add llvm-tools` has it)"))?;
    ensure!(status.success(), "{name}: {status}");
    Ok(())
}
