//! Table of the calls that gcc generated for constructs, which is passed to `libora.so` with a program (`ORA_CALL_SITES`).
//!
//! The search covers the program, the libraries that it is linked with, and programs named among its arguments (`mpirun ./solver`). Unsafe:
//! a step between fork and exec.
#![allow(unsafe_code)]

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use attach_inside::nameless;
use call_sites::{Site, table};
use linking::image::{Image, Kind};
use linking::scope;
use linking::search_path::file;
use symbols::Files;

/// Variable that names the table. A value that the user has set takes precedence.
pub(crate) const VARIABLE: &str = "ORA_CALL_SITES";
/// Maximum number of words of a command line that are examined.
const MAX_WORDS: usize = 64;

/// Words of the last command, and its table: a command may be run several times.
static LAST: Mutex<Option<(Vec<OsString>, Arc<File>)>> = Mutex::new(None);

/// Passes the table to a program, unless the user has set one or the table is empty.
pub(crate) fn hand_over(words: &[OsString], command: &mut Command) {
    if env::var_os(VARIABLE).is_some() {
        return;
    }
    let Some(file) = of_command(words) else { return };
    command.env(VARIABLE, nameless::path(&file));
    let pass_on = move || {
        nameless::pass_on(&file);
        Ok(())
    };
    // SAFETY: makes a single system call.
    unsafe { command.pre_exec(pass_on) };
}

fn of_command(words: &[OsString]) -> Option<Arc<File>> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, file)) = last.as_ref()
        && known == words
    {
        return Some(Arc::clone(file));
    }
    let objects = objects(words);
    let file = Arc::new(written(&table(&sites(&objects))).ok()?);
    *last = Some((words.to_owned(), Arc::clone(&file)));
    Some(file)
}

fn written(bytes: &[u8]) -> io::Result<File> {
    let mut file = nameless::create(c"ora-call-sites")?;
    file.write_all(bytes)?;
    nameless::fix(&file);
    Ok(file)
}

/// Calls in files that have a build ID.
fn sites(objects: &[PathBuf]) -> Vec<(Vec<u8>, Vec<Site>)> {
    let files = Files::default();
    let of = |path: &PathBuf| {
        let path = path.to_str()?;
        let sites: Vec<_> = files.inlined_calls(path)?.known.iter().map(|call| call.site).collect();
        if sites.is_empty() { None } else { Some((files.build_id(path)?, sites)) }
    };
    objects.iter().filter_map(of).collect()
}

/// Programs that a command line names, and their libraries.
fn objects(words: &[OsString]) -> Vec<PathBuf> {
    let first = words.first().and_then(|word| file(Path::new(word)));
    let others = words.iter().skip(1).take(MAX_WORDS).map(PathBuf::from).filter(|path| path.components().count() > 1);
    let mut all: Vec<PathBuf> = Vec::new();
    for program in first.into_iter().chain(others) {
        let Ok(Kind::Ours) = Kind::of(&program) else { continue };
        let Ok(image) = Image::read(&program) else { continue };
        let variables =
            ["LD_LIBRARY_PATH", "LD_PRELOAD"].into_iter().filter_map(|name| Some((name, env::var_os(name)?)));
        let libraries = scope::of_process(&program, &image, &variables.collect::<Vec<_>>()).objects;
        all.extend([program].into_iter().chain(libraries));
    }
    all.sort();
    all.dedup();
    all
}
