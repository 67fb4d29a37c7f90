//! Runs this system's dynamic linker to find out what it would load with a program, as ldd(1) does. The dynamic linker runs code of
//! some files that it lists (of auditors, and of forged segments), so it is used only for files that `scope` has found to belong to
//! root or to the user. Unsafe: limits that the child sets for itself before it executes the dynamic linker.
#![allow(unsafe_code)]

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Resource, Rlimit, Signal, getpid, getppid, getrlimit, set_parent_process_death_signal, setrlimit,
};
use system::arch::LINKER;

/// Time limit for its answer, and for its processor time.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Limit of its address space: it maps the program with all its data, which is never touched.
const MAX_MEMORY: u64 = 256 << 30;
/// Maximum number of bytes of an answer.
const MAX_ANSWER: u64 = 4 << 20;

/// Libraries that the dynamic linker has listed.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Paths, in the order in which symbols are looked up.
    pub(crate) objects: Vec<PathBuf>,
    /// Names that were not found.
    pub(crate) missing: Vec<String>,
    /// Complaints of the dynamic linker, one per line.
    pub(crate) complaints: Vec<String>,
}

/// True if a program's interpreter is this system's own dynamic linker, which only root can have installed. Any other
/// file would be code of the program's, even if it has the same name.
pub(crate) fn is_systems(interpreter: &str) -> bool {
    let resolved = |path: &str| Path::new(path).canonicalize().ok();
    let Some(linker) = resolved(LINKER) else { return false };
    let roots_own = linker.metadata().is_ok_and(|file| file.uid() == 0 && file.mode() & 0o022 == 0);
    roots_own && resolved(interpreter) == Some(linker)
}

/// Runs the dynamic linker, which loads everything, but doesn't run code of a file without auditors and with ordered segments. Its
/// environment consists of these variables only.
///
/// # Errors
/// The reason why there is no answer.
pub(crate) fn ask(path: &Path, variables: &[(&str, OsString)]) -> Result<Listing, String> {
    let (out, complaints) = output(path, variables).map_err(|error| format!("it can't be ({error})"))?;
    let mut listing = listed(&out);
    listing.complaints = complaints.lines().map(|line| line.trim().to_owned()).collect();
    let answered = !listing.objects.is_empty() || !listing.missing.is_empty() || !listing.complaints.is_empty();
    if answered { Ok(listing) } else { Err("it says nothing".to_owned()) }
}

fn output(path: &Path, variables: &[(&str, OsString)]) -> io::Result<(String, String)> {
    // Temporary files without names.
    let (mut out, mut complaints) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut command = Command::new(LINKER);
    // As in ldd: `--list` stops at the first library that is missing.
    command.arg(path).env_clear().env("LC_ALL", "C").env("LD_TRACE_LOADED_OBJECTS", "1");
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(complaints.try_clone()?);
    let parent = getpid();
    let prepare = move || {
        bound(Resource::Cpu, MAX_WAIT.as_secs())?;
        bound(Resource::As, MAX_MEMORY)?;
        bound(Resource::Fsize, MAX_ANSWER)?;
        bound(Resource::Core, 0)?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have ended already.
        if getppid() == Some(parent) { Ok(()) } else { Err(ErrorKind::NotConnected.into()) }
    };
    // SAFETY: the closure makes async-signal-safe system calls only, and allocates nothing.
    unsafe { command.pre_exec(prepare) };
    wait(command.spawn()?, MAX_WAIT)?;
    Ok((text(&mut out)?, text(&mut complaints)?))
}

fn bound(resource: Resource, most: u64) -> io::Result<()> {
    // Only root may raise a limit that is already lower.
    let most = getrlimit(resource).maximum.map_or(most, |maximum| maximum.min(most));
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

/// Waits for the process to end, and kills it if the dynamic linker waits for something.
fn wait(mut child: Child, max_wait: Duration) -> io::Result<()> {
    let deadline = Instant::now() + max_wait;
    let mut pause = Duration::from_micros(200);
    while child.try_wait()?.is_none() {
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::new(ErrorKind::TimedOut, "it gives no answer in time"));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    Ok(())
}

fn text(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MAX_ANSWER).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn listed(text: &str) -> Listing {
    let mut listing = Listing::default();
    for line in text.lines().map(str::trim) {
        let (name, place) = line.split_once(" => ").unwrap_or(("", line));
        if place.starts_with("not found") {
            listing.missing.push(name.to_owned());
        } else if let Some((path, _)) = place.rsplit_once(" (0x")
            && path.contains('/')
        {
            listing.objects.push(PathBuf::from(path));
        }
    }
    listing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_in_its_order() {
        let scope = listed(
            "\tlinux-vdso.so.1 (0x00007ffd)\n\t/o/libora.so (0x00007f01)\n\tlibgomp.so.1 => /l/libgomp.so.1 (0x00007f02)\n\
             \tlibnone.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f03)\n",
        );
        let objects: Vec<_> = scope.objects.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        assert_eq!(objects, ["/o/libora.so", "/l/libgomp.so.1", "/lib64/ld-linux-x86-64.so.2"]);
        assert_eq!(scope.missing, ["libnone.so"]);
    }

    #[test]
    fn a_dynamic_linker_that_gives_no_answer_is_ended() {
        let sleeper = Command::new("sleep").arg("1000").spawn().unwrap();
        assert_eq!(wait(sleeper, Duration::from_millis(20)).unwrap_err().kind(), ErrorKind::TimedOut);
    }
}
