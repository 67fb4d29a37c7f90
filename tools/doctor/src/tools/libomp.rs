//! Parser of the file that LLVM's runtime writes for `OMP_TOOL_VERBOSE_INIT`. Each process truncates it, so it
//! describes the last one.

use std::path::{Path, PathBuf};

/// The variable that names the file (OpenMP 5.1, 6.20).
pub(super) const VARIABLE: &str = "OMP_TOOL_VERBOSE_INIT";

/// A tool that the runtime has asked (`None` for the one that the dynamic linker has found), and whether it is
/// attached.
pub(super) fn asked(text: &str) -> Vec<(Option<PathBuf>, bool)> {
    const GLOBAL: &str = "Search for OMP tool in current address space... ";
    const NAMED: &str = "Searching for ompt_start_tool in ";
    let mut all: Vec<(Option<PathBuf>, bool)> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix(GLOBAL) {
            if !rest.starts_with("Failed") {
                all.push((None, false));
            }
        } else if let Some((name, rest)) = line.strip_prefix(NAMED).and_then(|rest| rest.split_once("... ")) {
            if !rest.starts_with("Failed") {
                all.push((Some(Path::new(name).to_owned()), false));
            }
        } else if line.starts_with("Tool was started")
            && let Some(last) = all.last_mut()
        {
            last.1 = true;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_before_the_start_is_attached() {
        let text = "----- START LOGGING OF TOOL REGISTRATION -----\n\
            Search for OMP tool in current address space... Failed.\n\
            Searching tool libraries...\n\
            Opening /nope.so... Failed: no such file\n\
            Opening ./a.so... Success. \n\
            Searching for ompt_start_tool in ./a.so... Found but not using the OMPT interface.\n\
            Searching for ompt_start_tool in ./b.so... Success.\n\
            Tool was started and is using the OMPT interface.\n";
        assert_eq!(asked(text), [(Some("./a.so".into()), false), (Some("./b.so".into()), true)]);
        let global = "Search for OMP tool in current address space... Success.\nTool was started and is using it.\n";
        assert_eq!(asked(global), [(None, true)]);
        assert!(asked("OMP tool disabled. \n").is_empty());
    }
}
