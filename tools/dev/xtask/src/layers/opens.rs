//! Calls that open, create or change files, in the crates of the command: those on something that another process, its user, or the
//! writer of a recording controls are in `tools/untrusted` alone.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Crates that the command consists of. What is preloaded acts with the program's own rights.
const CRATES: [&str; 26] = [
    "advice",
    "diff",
    "doctor",
    "linking",
    "scale",
    "stat/analysis",
    "stat/layout",
    "statistics",
    "top",
    "tune",
    "requests/decode",
    "requests/format",
    "hang",
    "ora",
    "trace/otf2",
    "profile/format",
    "race/analysis",
    "race/format",
    "attach/outside",
    "profile/analysis",
    "trace/analysis",
    "symbols",
    "terminal",
    "trace/format",
    "validate/analysis",
    "validate/layout",
];

/// The calls.
const CALLS: [&str; 22] = [
    "File::open(",
    "File::create(",
    "File::create_new(",
    "File::options(",
    "OpenOptions::new(",
    "DirBuilder::new(",
    "fs::read(",
    "fs::read_to_string(",
    "fs::write(",
    "fs::copy(",
    "fs::create_dir",
    "fs::remove_",
    "fs::rename(",
    "fs::hard_link(",
    "fs::set_permissions(",
    "symlink(",
    "chown(",
    "openat(",
    "openat2(",
    "libc::open",
    "memfd_create(",
    "Mmap::map",
];

/// Owner of a file that is opened.
#[derive(Clone, Copy)]
enum Owner {
    /// The user of `ora` has named it on the command line.
    Named,
    /// A folder that `ora` has made for itself, which nobody else may enter.
    Scratch,
    /// Of the installation of `ora`.
    Installed,
    /// Of the system, or of `ora` itself in `/proc`.
    System,
    /// Memory of a traced process in `/proc`, which the kernel guards.
    Traced,
}

/// Files with such calls, below `tools/`.
const ALLOWED: [(&str, Owner); 28] = [
    ("ora/src/decode.rs", Owner::Named),
    ("ora/src/demo/mod.rs", Owner::Scratch),
    ("doctor/src/bindings.rs", Owner::Scratch),
    ("doctor/src/setting.rs", Owner::System),
    ("doctor/src/tools/outcome.rs", Owner::Scratch),
    ("doctor/src/tools/record.rs", Owner::Scratch),
    ("ora/src/output_file.rs", Owner::Named),
    ("ora/src/output_name.rs", Owner::System),
    ("ora/src/pages.rs", Owner::Named),
    ("stat/analysis/src/quota.rs", Owner::System),
    ("stat/layout/src/ticks.rs", Owner::System),
    ("ora/src/race/address_layout.rs", Owner::System),
    ("ora/src/race.rs", Owner::Named),
    ("ora/src/recording_folder.rs", Owner::Named),
    ("ora/src/scale.rs", Owner::Named),
    ("ora/src/stand_in.rs", Owner::Installed),
    ("stat/analysis/src/stat/facts.rs", Owner::System),
    ("ora/src/dump.rs", Owner::Named),
    ("ora/src/tune.rs", Owner::Named),
    ("ora/src/validate/matrix.rs", Owner::Scratch),
    ("trace/otf2/src/archive.rs", Owner::Named),
    ("trace/otf2/src/chunks.rs", Owner::Named),
    ("attach/outside/src/library_files.rs", Owner::Installed),
    ("attach/outside/src/permission.rs", Owner::System),
    ("attach/outside/src/stop_time.rs", Owner::Traced),
    ("symbols/src/vdso.rs", Owner::System),
    ("profile/analysis/src/out/parquet", Owner::Named),
    ("trace/analysis/src/paraver", Owner::Named),
];

/// Messages for calls in other files, and for files of the list that have none any more.
pub(super) fn misplaced(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for name in CRATES {
        look(&root.join("tools"), &root.join("tools").join(name).join("src"), &mut found)?;
    }
    let is_allowed = |name: &str| ALLOWED.iter().any(|(place, _)| name.starts_with(place));
    let is_there = |place: &str| found.iter().any(|(name, _)| name.starts_with(place));
    let calls = found.iter().filter(|(name, _)| !is_allowed(name));
    let calls =
        calls.map(|(name, call)| format!("tools/{name}: {call} opens or changes a file outside of tools/untrusted"));
    let stale = ALLOWED.iter().filter(|(place, _)| !is_there(place));
    let stale = stale.map(|(place, _)| format!("tools/{place}: listed in layers/opens.rs, and opens nothing"));
    Ok(calls.chain(stale).collect())
}

fn look(tools: &Path, folder: &Path, found: &mut Vec<(String, &'static str)>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))? {
        let path = entry?.path();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if path.is_dir() {
            look(tools, &path, found)?;
        } else if is_source && path.file_stem().is_none_or(|stem| stem != "tests") {
            let name = path.strip_prefix(tools).unwrap_or(&path).display().to_string();
            found.extend(call(&fs::read_to_string(&path)?).map(|call| (name, call)));
        }
    }
    Ok(())
}

/// The first such call in a file's code, its tests aside.
fn call(text: &str) -> Option<&'static str> {
    if text.contains("#![cfg(test)]") {
        return None;
    }
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut lines =
        code.lines().map(str::trim_start).filter(|line| !line.starts_with("//") && !line.starts_with("use "));
    lines.find_map(|line| CALLS.into_iter().find(|call| has(line, call)))
}

/// True if a line has a call, and not a longer name that ends like it.
fn has(line: &str, call: &str) -> bool {
    let is_apart = |at: usize| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        before.is_none_or(|before| !before.is_alphanumeric() && before != '_')
    };
    line.match_indices(call).any(|(at, _)| is_apart(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_found_in_code_and_not_in_tests_or_longer_names() {
        assert_eq!(call("let file = File::open(path)?;"), Some("File::open("));
        assert_eq!(call("    std::fs::read(path)"), Some("fs::read("));
        assert_eq!(call("chown(path, None, None)?;"), Some("chown("));
        for text in
            ["// File::open(", "use std::fs::symlink(", "OutputFile::open(path)", "CodeFile::open(path)", "lchown_(x)"]
        {
            assert_eq!(call(text), None, "{text}");
        }
        assert_eq!(call("fn f() {}\n#[cfg(test)]\nmod tests { fn g() { fs::read(p); } }"), None);
    }

    #[test]
    fn each_place_is_listed_once() {
        let mut places: Vec<_> = ALLOWED.iter().map(|(place, _)| *place).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), ALLOWED.len());
    }
}
