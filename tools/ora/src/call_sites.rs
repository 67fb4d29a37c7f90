//! Table of the calls that gcc made for constructs, which `libora.so` gets with a program (`ORA_CALL_SITES`), or in a running process.
//!
//! The search covers the program, the libraries that it is linked with, and programs named among its arguments (`mpirun ./solver`). Unsafe:
//! a step between fork and exec.
#![allow(unsafe_code)]

use std::env;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use attach_inside::nameless;
use attach_outside::objects::Object;
use attach_outside::target::Target;
use call_sites::{Site, Table, table};
use linking::image::{Image, Kind};
use linking::scope;
use linking::search_path::file;
use symbols::Files;
use untrusted::cache::Cache;

/// Variable that names the table. A value that the user has set takes precedence.
pub(crate) const VARIABLE: &str = "ORA_CALL_SITES";
/// Processor time for the search in the files of a running process, to which `ora` attaches within a deadline.
const MAX_WHILE_ATTACHING: Duration = Duration::from_secs(5);
/// To be counted up when the search finds other calls in the same file: what is in the cache is then searched again.
const REVISION: u32 = 1;
/// Most words of a command line that are looked at.
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
    let search = Search::new(Files::default());
    let found: Vec<_> = objects.iter().filter_map(|path| search.of(path)).collect();
    let file = Arc::new(written(&table(&found)).ok()?);
    *last = Some((words.to_owned(), Arc::clone(&file)));
    Some(file)
}

/// The table for the files that a process has loaded; empty: there is none.
pub(crate) fn of_process(target: &Target) -> Vec<u8> {
    if env::var_os(VARIABLE).is_some() {
        return Vec::new();
    }
    let search = Search::new(Files::default().with_time(MAX_WHILE_ATTACHING));
    let of = |object: &Object| {
        let file = target.other().file(&object.path).ok()?;
        let device = |about: &Metadata| (libc::major(about.dev()), libc::minor(about.dev()));
        let is_the_one = file.metadata().is_ok_and(|about| object.is_file(device(&about), about.ino()));
        // By its descriptor: what the name leads to may change meanwhile.
        if is_the_one { search.of(Path::new(&format!("/proc/self/fd/{}", file.as_raw_fd()))) } else { None }
    };
    let found: Vec<_> = target.stacks.objects.iter().filter_map(of).collect();
    if found.is_empty() { Vec::new() } else { table(&found) }
}

fn written(bytes: &[u8]) -> io::Result<File> {
    let mut file = nameless::create(c"ora-call-sites")?;
    file.write_all(bytes)?;
    nameless::fix(&file);
    Ok(file)
}

/// A search for the calls in files, some of which were searched before.
struct Search {
    files: Files,
    cache: Option<Cache>,
}

impl Search {
    fn new(files: Files) -> Self {
        Self { files, cache: Cache::open("call-sites") }
    }

    /// The build ID of a file, and its calls; `None` where it lacks one of them.
    fn of(&self, path: &Path) -> Option<(Vec<u8>, Vec<Site>)> {
        let build_id = self.files.build_id(path)?;
        let sites = self.known(&build_id).or_else(|| self.found(path, &build_id))?;
        if sites.is_empty() { None } else { Some((build_id, sites)) }
    }

    fn known(&self, build_id: &[u8]) -> Option<Vec<Site>> {
        let bytes = self.cache.as_ref()?.read(&name(build_id))?;
        let object = Table::of(&bytes).ok()?.objects().find(|object| object.build_id == build_id)?;
        Some(object.sites.iter().collect())
    }

    fn found(&self, path: &Path, build_id: &[u8]) -> Option<Vec<Site>> {
        let calls = self.files.inlined_calls(path)?;
        let sites: Vec<_> = calls.known.iter().map(|call| call.site).collect();
        // Where something was missing, the next search may find more.
        if let Some(cache) = self.cache.as_ref().filter(|_| calls.is_final()) {
            let _ = cache.write(&name(build_id), &table(&[(build_id.to_owned(), sites.clone())]));
        }
        Some(sites)
    }
}

/// Name of a file's calls in the cache.
fn name(build_id: &[u8]) -> String {
    let hex: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}.{}.{REVISION}", env!("CARGO_PKG_VERSION"))
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
