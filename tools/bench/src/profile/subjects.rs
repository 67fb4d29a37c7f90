//! The programs that are sampled, each with as much work as is asked for.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::Arguments;
use crate::programs::{Programs, output, undisturbed};

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Subject {
    Regions,
    RegionWork,
    Often,
    Barriers,
    Tasks,
    Stencil,
    Training,
}

/// One that can be run.
pub(super) struct Prepared {
    pub(super) subject: Subject,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
}

const ALL: [Subject; 7] = [
    Subject::Regions,
    Subject::RegionWork,
    Subject::Often,
    Subject::Barriers,
    Subject::Tasks,
    Subject::Stencil,
    Subject::Training,
];

impl Subject {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Regions => "regions",
            Self::RegionWork => "region_work",
            Self::Often => "often",
            Self::Barriers => "barriers",
            Self::Tasks => "tasks",
            Self::Stencil => "stencil",
            Self::Training => "training",
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Regions => "empty regions",
            Self::RegionWork => "regions with 100 us of work",
            Self::Often => "100,000 regions a second",
            Self::Barriers => "barriers, 1 us apart",
            Self::Tasks => "small tasks",
            Self::Stencil => "a stencil",
            Self::Training => "a training of scikit-learn's",
        }
    }
}

/// Builds them, and finds out how much work takes so long. What can't be run goes to `missing`.
pub(super) fn prepare(
    programs: &Programs,
    arguments: &Arguments,
    length: u32,
    missing: &mut BTreeMap<String, String>,
) -> Result<Vec<Prepared>> {
    let wanted =
        |subject: &Subject| arguments.only.is_empty() || arguments.only.iter().any(|only| only == subject.name());
    if let Some(unknown) = arguments.only.iter().find(|only| ALL.iter().all(|subject| subject.name() != *only)) {
        bail!("there is no program `{unknown}`");
    }
    let program = programs.compile("profile", "profile", &["-g", "-fopenmp"])?;
    let mut prepared = Vec::new();
    for subject in ALL.into_iter().filter(wanted) {
        if subject == Subject::Training {
            match training(arguments, length) {
                Ok(training) => prepared.push(training),
                Err(why) => _ = missing.insert(subject.name().to_owned(), format!("{why:#}")),
            }
            continue;
        }
        let mut calibrate = Command::new(&program);
        undisturbed(&mut calibrate);
        if arguments.passive {
            calibrate.env("OMP_WAIT_POLICY", "passive");
        }
        let text = output(calibrate.args([subject.name(), "calibrate", &length.to_string()]))?;
        let mut words = vec![OsString::from(subject.name()), OsString::from("run")];
        words.extend(text.split_whitespace().map(OsString::from));
        prepared.push(Prepared { subject, program: program.clone(), arguments: words });
    }
    Ok(prepared)
}

/// A tree takes some 30 ms.
fn training(arguments: &Arguments, length: u32) -> Result<Prepared> {
    let named = arguments.python.clone().or_else(|| env::var_os("ORA_TEST_PYTHON").map(PathBuf::from));
    let python = named.context("name a Python with scikit-learn: --python FILE")?;
    let mut check = Command::new(&python);
    output(check.args(["-c", "import sklearn"])).context("scikit-learn doesn't work there")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/training.py");
    let trees = (length / 30).max(1).to_string();
    Ok(Prepared { subject: Subject::Training, program: python, arguments: vec![script.into(), trees.into()] })
}
