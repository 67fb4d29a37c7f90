//! Variables that preload the command's libraries.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use linking::preload::preload;

use crate::{libraries, stand_in};

/// Variable that lists the words that the command has added to LD_PRELOAD: the guard removes them where they do harm.
const ADDED: &str = "ORA_PRELOADED";

/// Variables that start a program with these libraries, and with the guard that keeps them away from children that can't load them.
///
/// # Errors
/// If the guard is missing, or LD_PRELOAD can't contain a path.
pub(crate) fn variables(ours: &[PathBuf]) -> Result<[(&'static str, OsString); 2]> {
    let guard = libraries::find(libraries::GUARD)?;
    let ours: Vec<PathBuf> = ours.iter().chain([&guard]).map(|library| stand_in::of(library)).collect();
    let all = preload(&ours, env::var_os("LD_PRELOAD").as_deref())?;
    Ok([("LD_PRELOAD", all), (ADDED, preload(&ours, None)?)])
}
