//! A case: a program with one fault, its twin with the cure applied, and the expected first finding.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

/// Comment that marks the line which a finding should name.
const MARK: &str = "HERE";

/// Case, as declared in `case.toml`; `README.md` in the folder of the cases describes the keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "README.md beside the cases describes each key")]
pub struct Case {
    #[serde(skip)]
    pub name: String,
    #[serde(skip)]
    pub folder: PathBuf,
    pub source: String,
    pub problem: String,
    pub command: Command,
    #[serde(default)]
    pub target: Target,
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    pub twin_variables: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub prefix: Vec<String>,
    pub twin_prefix: Option<Vec<String>>,
    #[serde(default)]
    pub flags: Vec<String>,
    pub cause: String,
    #[serde(default)]
    pub ids: Vec<String>,
    #[serde(default)]
    pub words: Vec<Vec<String>>,
    #[serde(default)]
    pub wrong: Vec<String>,
    #[serde(default)]
    pub harmful: Vec<String>,
    #[serde(default)]
    pub silent: bool,
    #[serde(default)]
    pub has_place: bool,
    pub cure: String,
    pub effect: Effect,
    pub open: Option<String>,
    #[serde(default)]
    pub open_twin: bool,
}

/// Command that should find the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "they are the commands of `ora`")]
pub enum Command {
    Stat,
    Report,
    Tasks,
    Scale,
    Race,
    Hang,
}

/// Process that `ora hang` examines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The program.
    #[default]
    Parent,
    /// A process that the program has forked.
    Child,
}

/// Effect of the cure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The program becomes faster.
    Faster,
    /// The program's result, or its possible results, change.
    Result,
    /// The program ends by itself.
    Ends,
    /// Nothing: the program is correct.
    None,
}

/// One of the two programs of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// The program with the fault.
    Program,
    /// The program with the cure applied.
    Twin,
}

impl Member {
    /// Name of its file, without the extension.
    pub fn stem(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Twin => "twin",
        }
    }
}

impl Case {
    fn read(folder: &Path) -> Result<Self> {
        let file = folder.join("case.toml");
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let case: Self = toml::from_str(&text).with_context(|| format!("{} is malformed", file.display()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, folder: folder.to_owned(), ..case })
    }

    /// Source file of a member.
    ///
    /// # Errors
    /// If the folder has none.
    pub fn source_of(&self, member: Member) -> Result<PathBuf> {
        let mut files = fs::read_dir(&self.folder)?.filter_map(Result::ok).map(|entry| entry.path());
        let is_source = |file: &PathBuf| file.file_stem().is_some_and(|stem| stem == member.stem());
        files.find(is_source).with_context(|| format!("{} has no {}", self.name, member.stem()))
    }

    /// Environment of a member.
    pub fn variables_of(&self, member: Member) -> &BTreeMap<String, String> {
        match (member, &self.twin_variables) {
            (Member::Twin, Some(variables)) => variables,
            _ => &self.variables,
        }
    }

    /// Launcher of a member: words before its name.
    pub fn prefix_of(&self, member: Member) -> &[String] {
        match (member, &self.twin_prefix) {
            (Member::Twin, Some(prefix)) => prefix,
            _ => &self.prefix,
        }
    }

    /// Line that the finding should name, counted from 1.
    pub(crate) fn line(&self) -> Option<u32> {
        let text = self.source_of(Member::Program).ok().and_then(|file| fs::read_to_string(file).ok())?;
        let index = text.lines().position(|line| line.contains(MARK))?;
        u32::try_from(index + 1).ok()
    }
}

/// All cases in the order of their names.
///
/// # Errors
/// If a file is missing or malformed.
pub fn all() -> Result<Vec<Case>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../advice/corpus");
    let entries = fs::read_dir(&root).with_context(|| format!("cannot read {}", root.display()))?;
    let mut folders: Vec<_> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().map(|folder| Case::read(folder)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_case_has_both_programs_and_the_line_that_it_expects() {
        for case in all().unwrap() {
            for member in [Member::Program, Member::Twin] {
                case.source_of(member).unwrap();
            }
            assert_eq!(case.line().is_some(), case.has_place, "{}", case.name);
            assert!(!case.words.is_empty() || case.silent, "{} expects nothing", case.name);
        }
    }
}
