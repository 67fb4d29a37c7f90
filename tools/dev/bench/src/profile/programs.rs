//! Programs that are sampled, each with the requested amount of work.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::options::Options;
use crate::programs::{Programs, output, undisturbed};
use crate::training;

/// Names of the programs of `programs/profile.c`, with their titles.
const ALL: [(&str, &str); 7] = [
    ("regions", "empty regions"),
    ("region_work", "regions with 100 us of work"),
    ("often", "100,000 regions a second"),
    ("barriers", "barriers, 1 us apart"),
    ("tasks", "small tasks"),
    ("stencil", "a stencil"),
    (TRAINING, "a training of scikit-learn's"),
];
const TRAINING: &str = "training";

/// A compiled program with its arguments.
pub(super) struct Prepared {
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
}

pub(super) fn title(name: &str) -> &str {
    ALL.iter().find(|(known, _)| *known == name).map_or(name, |(_, title)| title)
}

/// Builds the programs, and measures how much work takes a given time. Programs that can't be run are added to `missing`.
pub(super) fn prepare(
    programs: &Programs,
    options: &Options,
    missing: &mut BTreeMap<String, String>,
) -> Result<Vec<Prepared>> {
    let length = options.length(2000, 30);
    if let Some(unknown) = options.only.iter().find(|only| ALL.iter().all(|(name, _)| name != *only)) {
        bail!("there is no program `{unknown}`");
    }
    let program = programs.compile("profile", "profile", &["-g", "-fopenmp"])?;
    let mut prepared = Vec::new();
    for (name, _) in ALL.into_iter().filter(|(name, _)| options.selects(name)) {
        if name == TRAINING {
            match training::find(options, length) {
                Ok((program, arguments)) => prepared.push(Prepared { name, program, arguments }),
                Err(why) => _ = missing.insert(name.to_owned(), format!("{why:#}")),
            }
            continue;
        }
        let mut calibrate = Command::new(&program);
        undisturbed(&mut calibrate);
        if options.passive {
            calibrate.env("OMP_WAIT_POLICY", "passive");
        }
        let text = output(calibrate.args([name, "calibrate", &length.to_string()]))?;
        let mut arguments = vec![OsString::from(name), OsString::from("run")];
        arguments.extend(text.split_whitespace().map(OsString::from));
        prepared.push(Prepared { name, program: program.clone(), arguments });
    }
    Ok(prepared)
}
