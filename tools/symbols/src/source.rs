//! Lines of the program's sources.

use std::collections::HashMap;
use std::path::Path;

use untrusted::source;

/// Maximum size of a source file that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// Source files that were read.
#[derive(Debug, Default)]
pub struct Sources(HashMap<String, Option<Vec<String>>>);

impl Sources {
    /// All lines of a file. `None` if it can't be read.
    pub fn lines(&mut self, file: &str) -> Option<&[String]> {
        self.0.entry(file.to_owned()).or_insert_with(|| read(file)).as_deref()
    }

    /// A line of a file, from 1. `None` if the file can't be read, or does not have this line.
    pub fn at(&mut self, file: &str, line: u32) -> Option<&str> {
        let lines = self.lines(file)?;
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        lines.get(index).map(String::as_str)
    }
}

fn read(file: &str) -> Option<Vec<String>> {
    let bytes = source::read(Path::new(file), LARGEST).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_line_is_read_from_its_file() {
        let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();
        let file = folder.path().join("a.c");
        std::fs::write(&file, b"one\n\n  three \xff\n").unwrap();
        let name = file.display().to_string();
        let mut sources = Sources::default();
        let lines = [1, 2, 3].map(|line| sources.at(&name, line).unwrap().to_owned());
        assert_eq!(lines, ["one", "", "  three \u{fffd}"]);
        assert_eq!([0, 4].map(|line| sources.at(&name, line).map(str::to_owned)), [const { None }; 2]);
        assert_eq!(sources.at("/no/such/file.c", 1), None);
    }
    #[test]
    fn lines_of_a_private_file_are_nobody_elses() {
        let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();
        let file = folder.path().join("shadow");
        std::fs::write(&file, "secret\n").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let name = file.display().to_string();
        // Only a user with no more rights than the file's owner may see it.
        let expected = (!rustix::process::geteuid().is_root()).then_some("secret");
        assert_eq!(Sources::default().at(&name, 1), expected);
    }
}
