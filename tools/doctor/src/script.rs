//! Scripts: the interpreter is the program, and what it will load can't be seen in any file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::findings::{Effect, Findings, Subject};
use linking::image::Kind;
use linking::search_path::in_path;
use terminal::printable::Shown;

/// Maximum number of nested interpreters, as in the kernel.
const STEPS: usize = 4;

/// The ELF program that finally runs a script. Adds what can't be known.
///
/// # Errors
/// If the first line doesn't lead to a program.
pub(crate) fn interpreter(path: &Path, findings: &mut Findings) -> anyhow::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..STEPS {
        let Kind::Script(line) = Kind::of(&at)? else { break };
        findings.subject = Subject::Script;
        let Some(next) = named_in(&line) else {
            anyhow::bail!("{}: its first line (#!{line}) names no program that exists", at.shown());
        };
        findings.fact("script", format!("{} is a script for {}", at.shown(), next.shown()));
        at = next;
    }
    if findings.subject == Subject::Script {
        findings.reason(
            "script",
            Effect::Unknown,
            "it is a script: which programs it starts and which libraries these load can't be known before the run (what \
             follows is about its interpreter)",
            format!("see what happens: `ora doctor --run -- {} ARGUMENTS`", path.shown()),
        );
    }
    Ok(at)
}

/// The program that a first line names; for `env`, the program that it starts.
fn named_in(line: &str) -> Option<PathBuf> {
    let mut words = line.split_whitespace();
    let first = Path::new(words.next()?);
    if first.file_name()? != "env" {
        return first.is_file().then(|| first.to_owned());
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    in_path(OsStr::new(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_program_also_through_env() {
        assert_eq!(named_in("/bin/sh -e"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(named_in("/usr/bin/env -S A=1 sh -e"), in_path(OsStr::new("sh")));
        assert!(in_path(OsStr::new("sh")).is_some());
        assert_eq!(named_in("/no/such/interpreter"), None);
        assert_eq!(named_in("/usr/bin/env no-such-interpreter"), None);
        assert_eq!(named_in(""), None);
    }
}
