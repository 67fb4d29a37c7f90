//! Programs of `programs/archer`, `programs/race` and `programs/race_by_chance` under ThreadSanitizer, and its verdicts on them.
//!
//! Each program is correct. Compiled with `-DTWIN` it lacks exactly one synchronisation; comments mark the lines whose accesses then race.
//! The first comment of a program contains its settings: `with: NAME=value` sets a variable, `natively: accused` says that Archer reports a
//! race on LLVM's own runtime, and `natively: unsteady` that the program must not be run there.

use std::fs;
use std::path::Path;

use crate::forge::{Forge, Language};
use crate::library::crate_dir;
use crate::run::{Launch, Outcome};

/// Program of one of these folders.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// Folder of `programs`.
    folder: &'static str,
    /// File name without `.c`.
    pub name: String,
    /// Verdict on LLVM's own runtime.
    pub natively: Natively,
    variables: Vec<(String, String)>,
    lines: Vec<String>,
}

/// Behaviour of the correct program, compiled by clang, on LLVM's own runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Natively {
    /// Acquitted: no race is reported, as expected.
    Acquitted,
    /// Accused of a race: Archer supports neither doacross loops nor the code that clang emits for task reductions.
    Accused,
    /// Unreliable: the program may also crash.
    Unsteady,
}

/// Version of a program: complete, or without one synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Has no race.
    Right,
    /// Has exactly one race.
    Twin,
}

/// All programs of `programs/archer`, in the order of their names.
///
/// # Panics
/// If the folder can't be read.
pub fn suspects() -> Vec<Suspect> {
    suspects_in("archer")
}

/// All programs of a folder of `programs`, in the order of their names.
///
/// # Panics
/// If the folder can't be read.
pub fn suspects_in(name: &'static str) -> Vec<Suspect> {
    let folder = crate_dir().join("programs").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    paths.sort();
    paths.iter().map(|path| Suspect::read(name, path)).collect()
}

impl Suspect {
    fn read(folder: &'static str, path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let said = |what: &str| {
            let line = text.lines().take(3).find_map(|line| line.split_once(what));
            line.map(|(_, rest)| rest.trim_end_matches("*/").trim()).unwrap_or_default()
        };
        let pair = |word: &str| word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            folder,
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            natively: match said(" natively: ") {
                "" => Natively::Acquitted,
                "accused" => Natively::Accused,
                "unsteady" => Natively::Unsteady,
                other => panic!("{}: natively {other}", path.display()),
            },
            variables: said(" with: ").split_whitespace().filter_map(pair).collect(),
            lines: text.lines().map(str::to_owned).collect(),
        }
    }

    /// True if its first comment names the synchronisation that the twin lacks.
    pub fn names_its_twin(&self) -> bool {
        self.lines.iter().take(4).any(|line| line.contains("Twin: "))
    }

    /// True if an access on this line (counted from 1) races in the twin.
    pub fn races_at(&self, line: usize) -> bool {
        line.checked_sub(1).and_then(|index| self.lines.get(index)).is_some_and(|text| text.contains("/* race */"))
    }

    /// True if any line races.
    pub fn has_racing_lines(&self) -> bool {
        (1..=self.lines.len()).any(|line| self.races_at(line))
    }

    /// A run of one version, compiled by `compiler` with ThreadSanitizer and no other option.
    pub fn launch(&self, forge: &Forge, compiler: Language, version: Version) -> Launch {
        let source = format!("programs/{}/{}.c", self.folder, self.name);
        let mut flags = vec!["-g", "-O1", "-fopenmp", "-fsanitize=thread"];
        if version == Version::Twin {
            flags.push("-DTWIN");
        }
        if compiler == Language::ClangC11 {
            // Needed for atomics that are not a single instruction.
            flags.push("-latomic");
        }
        let program = forge.build(compiler, &[&source], &flags, "");
        // Skips ThreadSanitizer's sleep of one second at exit: all accesses have been made by then.
        let options = "ignore_noninstrumented_modules=1 atexit_sleep_ms=0";
        let launch = Launch::of(forge, &program).env("TSAN_OPTIONS", options);
        self.variables.iter().fold(launch, |launch, (name, value)| launch.env(name, value))
    }
}

/// Result of a run, by ThreadSanitizer's exit code and reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No report, and the program's own exit code was 0.
    Acquitted,
    /// Data races and nothing else, with the file and line of each.
    Accused(Vec<(String, usize)>),
    /// Anything else.
    Mistrial(String),
}

impl Verdict {
    /// Returns the verdict on a finished run.
    pub fn of(outcome: &Outcome) -> Self {
        Self::from_report(outcome.status.code(), &String::from_utf8_lossy(&outcome.stderr))
    }

    fn from_report(code: Option<i32>, report: &str) -> Self {
        let sanitizers = |line: &&str| line.contains("ThreadSanitizer") && !line.contains("reported ");
        let said: Vec<&str> = report.lines().filter(sanitizers).collect();
        match code {
            Some(0) if said.is_empty() => return Self::Acquitted,
            Some(66) => {}
            _ => return Self::Mistrial(format!("exit code {code:?}; {}", said.join("; "))),
        }
        let known = |line: &&&str| !line.starts_with("WARNING: ThreadSanitizer: data race") && place(line).is_none();
        if let Some(other) = said.iter().find(known) {
            return Self::Mistrial((*other).to_owned());
        }
        Self::Accused(said.into_iter().filter_map(place).collect())
    }

    /// The verdict as one word, for a table.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Acquitted => "-",
            Self::Accused(_) => "race",
            Self::Mistrial(_) => "?",
        }
    }
}

/// File and line of a report's first access: `SUMMARY: ThreadSanitizer: data race FILE:LINE[:COLUMN] in FUNCTION`.
fn place(line: &str) -> Option<(String, usize)> {
    let (place, _) = line.strip_prefix("SUMMARY: ThreadSanitizer: data race ")?.rsplit_once(" in ")?;
    let mut parts = place.split(':');
    let file = Path::new(parts.next()?).file_name()?.to_string_lossy().into_owned();
    Some((file, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RACE: &str = "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 8\n\
        SUMMARY: ThreadSanitizer: data race /a/lock.c:17:14 in main._omp_fn.0\n";

    fn accused(place: (&str, usize)) -> Verdict {
        Verdict::Accused(vec![(place.0.to_owned(), place.1)])
    }

    #[test]
    fn a_report_of_a_race_names_its_line_with_or_without_a_column() {
        assert_eq!(Verdict::from_report(Some(66), RACE), accused(("lock.c", 17)));
        assert_eq!(Verdict::from_report(Some(66), &RACE.replace(":14", "")), accused(("lock.c", 17)));
        let counted = format!("{RACE}ThreadSanitizer: reported 1 warnings\n");
        assert_eq!(Verdict::from_report(Some(66), &counted), accused(("lock.c", 17)));
    }

    #[test]
    fn only_silence_and_exit_code_0_acquit() {
        assert_eq!(Verdict::from_report(Some(0), "waited a little\n"), Verdict::Acquitted);
        for (code, report) in [(Some(1), ""), (None, ""), (Some(0), RACE)] {
            assert!(matches!(Verdict::from_report(code, report), Verdict::Mistrial(_)), "{code:?}");
        }
    }

    #[test]
    fn another_report_than_of_a_race_is_a_mistrial() {
        let ignores = "ThreadSanitizer: thread T3 finished with ignores enabled";
        let place_unknown = "SUMMARY: ThreadSanitizer: data race (/lib/libgomp.so.1+0x1cd8d)";
        for other in ["WARNING: ThreadSanitizer: lock-order-inversion", ignores, place_unknown] {
            let report = format!("{RACE}{other}\n");
            assert_eq!(Verdict::from_report(Some(66), &report), Verdict::Mistrial(other.to_owned()));
        }
    }
}
