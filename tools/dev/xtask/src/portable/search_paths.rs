//! Check of built files for search paths of their own (DT_RPATH, DT_RUNPATH): they have none. A folder named there may be one that others
//! can write to, and an empty or relative one is the folder that the user is in: who writes there would choose the libraries of root's `ora`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::workspace;

/// Fails if a file has a search path.
pub(crate) fn are_absent(files: &[PathBuf]) -> Result<()> {
    for file in files {
        let dynamic = workspace::read(Command::new("readelf").args(["--wide", "--dynamic"]).arg(file))?;
        let found: Vec<&str> = dynamic.lines().filter(|line| is_search_path(line)).map(str::trim).collect();
        ensure!(
            found.is_empty(),
            "{} has a search path of its own for libraries:\n{}\nNext: link it without -rpath",
            workspace::shown(file),
            found.join("\n")
        );
    }
    Ok(())
}

fn is_search_path(line: &str) -> bool {
    ["(RPATH)", "(RUNPATH)"].into_iter().any(|kind| line.split_whitespace().any(|word| word == kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_a_search_path_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (source, file) = (folder.path().join("empty.c"), folder.path().join("empty.so"));
        std::fs::write(&source, "").unwrap();
        for (option, is_refused) in
            [("-Wl,-rpath,.", true), ("-Wl,--disable-new-dtags,-rpath,/tmp", true), ("-g", false)]
        {
            let mut command = Command::new("gcc");
            workspace::run(command.args(["-shared", option, "-o"]).arg(&file).arg(&source)).unwrap();
            assert_eq!(are_absent(std::slice::from_ref(&file)).is_err(), is_refused, "{option}");
        }
    }
}
