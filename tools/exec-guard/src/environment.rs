//! The environment of a program that is about to be executed.
#![allow(unsafe_code)] // a C environment: pointers to C strings, the last one null

use crate::image::{Fit, PATH};
use crate::readable::is_environment;
use crate::system::{keeping_errno, may};
use crate::target::Target;
use crate::unwatched;
use std::ffi::{CStr, c_char, c_int};

/// A C environment.
pub(crate) type Environment = *const *const c_char;

const PRELOAD: &[u8] = b"LD_PRELOAD=";
const ADDED: &[u8] = b"ORA_PRELOADED=";
const LOG: &[u8] = b"LD_DEBUG_OUTPUT=";
const LOGGING: [&[u8]; 2] = [LOG, b"LD_DEBUG="];
/// An environment with more variables is left as it is.
const MAX_VARIABLES: usize = 1024;

/// Calls `execute`, which returns 0 if it has succeeded and the calling program continues, with the environment that suits the
/// program: the given one, or one without what `ora` has added to LD_PRELOAD. A program that will not be watched is counted. An
/// environment that can't be read is passed on, because the system refuses it.
///
/// # Safety
/// `environment` is null or a C environment, as far as it can be read.
#[inline]
pub(crate) unsafe fn suited(
    target: Target<'_>,
    environment: Environment,
    execute: impl FnOnce(Environment) -> c_int,
) -> c_int {
    if !keeping_errno(|| is_environment(environment)) {
        return execute(environment);
    }
    // SAFETY: `environment` is null or a C environment during this call, by this function's `# Safety`, and readable as checked above.
    let given = unsafe { Variables::of(environment) };
    let (added, fit) = keeping_errno(|| (given.value(ADDED), target.fit()));
    let Some(added) = added else { return unwatched::counted(fit, || execute(environment)) };
    let reachable = keeping_errno(|| words(added).all(is_readable));
    match fit {
        Fit::Not => unwatched::counted(fit, || without(given, added, execute)),
        _ if !reachable => unwatched::counted(fit, || without(given, added, execute)),
        Fit::Static => unwatched::counted(fit, || execute(environment)),
        Fit::Takes | Fit::Unknown => execute(environment),
    }
}

/// Calls `execute` with an environment that lacks the words.
#[cold]
#[inline(never)]
fn without(given: Variables, added: &[u8], execute: impl FnOnce(Environment) -> c_int) -> c_int {
    let mut text = [0_u8; 2 * PATH];
    let mut pointers = [std::ptr::null(); MAX_VARIABLES];
    let shorter = given.value(PRELOAD).and_then(|preload| shorten(&mut text, preload, added));
    // If the program can't reach the log's folder, the dynamic linker's log of `ora doctor --run` would go to its
    // stderr.
    let logs = given.value(LOG).is_some_and(is_writable);
    let mut count = 0;
    for variable in given {
        // SAFETY: a C string that remains valid during this call: `next` of `Variables` returns nothing else, by the
        // `# Safety` of `of`.
        let bytes = unsafe { CStr::from_ptr(variable) }.to_bytes();
        let replaced = if bytes.starts_with(PRELOAD) { shorter } else { Some(variable) };
        let of_ours = bytes.starts_with(ADDED) || !logs && LOGGING.iter().any(|name| bytes.starts_with(name));
        let (Some(kept), false) = (replaced, of_ours) else { continue };
        match pointers.get_mut(count) {
            // The last one stays null.
            Some(place) if count + 1 < MAX_VARIABLES => *place = kept,
            _ => return execute(given.0),
        }
        count += 1;
    }
    execute(pointers.as_ptr())
}

/// LD_PRELOAD with its remaining words; `None` if none remain, or too many.
fn shorten(text: &mut [u8], preload: &[u8], added: &[u8]) -> Option<*const c_char> {
    let mut end = PRELOAD.len();
    text.get_mut(..end)?.copy_from_slice(PRELOAD);
    for word in words(preload).filter(|word| !words(added).any(|ours| ours == *word)) {
        if end > PRELOAD.len() {
            *text.get_mut(end)? = b':';
            end += 1;
        }
        text.get_mut(end..end + word.len())?.copy_from_slice(word);
        end += word.len();
    }
    *text.get_mut(end)? = 0;
    (end > PRELOAD.len()).then_some(text.as_ptr().cast())
}

/// The words of LD_PRELOAD: for the dynamic linker, a word ends at a colon or at white space.
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b':' || byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

fn is_readable(word: &[u8]) -> bool {
    let mut path = [0; PATH];
    let Some(to) = path.get_mut(..word.len()) else { return true };
    to.copy_from_slice(word);
    CStr::from_bytes_until_nul(&path).is_ok_and(|path| may(path, libc::R_OK))
}

/// True if the process may create files in the folder of this file.
fn is_writable(file: &[u8]) -> bool {
    let mut path = [0; PATH];
    let folder = file.get(..=file.iter().rposition(|byte| *byte == b'/').unwrap_or(0)).unwrap_or_default();
    let Some(to) = path.get_mut(..folder.len()) else { return false };
    to.copy_from_slice(folder);
    CStr::from_bytes_until_nul(&path).is_ok_and(|path| may(path, libc::W_OK))
}

/// The variables of a C environment.
#[derive(Clone, Copy)]
struct Variables(Environment);

impl Variables {
    /// # Safety
    /// `environment` is null or a C environment, and remains valid as long as this value is used.
    unsafe fn of(environment: Environment) -> Self {
        Self(environment)
    }

    /// Value of the variable that starts with `name`, which includes the `=`.
    fn value<'a>(self, name: &[u8]) -> Option<&'a [u8]> {
        let mut all = self;
        // SAFETY: a C string that remains valid during this call: `next` of `Variables` returns nothing else, by the
        // `# Safety` of `of`.
        all.find_map(|variable| unsafe { CStr::from_ptr(variable) }.to_bytes().strip_prefix(name))
    }
}

impl Iterator for Variables {
    type Item = *const c_char;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_null() {
            return None;
        }
        // The system accepts a misaligned one.
        // SAFETY: not null, and not past the null pointer at the end, by the `# Safety` of `of`.
        let variable = unsafe { self.0.read_unaligned() };
        if variable.is_null() {
            return None;
        }
        // SAFETY: this entry is not null, so it is followed by another entry or by the null pointer at the end.
        self.0 = unsafe { self.0.add(1) };
        Some(variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    fn environment(variables: &[&str], target: &CStr) -> Vec<String> {
        let strings: Vec<CString> = variables.iter().map(|text| CString::new(*text).unwrap()).collect();
        let pointers: Vec<*const c_char> = strings.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect();
        let mut seen = Vec::new();
        let execute = |environment| {
            // SAFETY: `suited` returns a C environment if it is given one.
            let all = unsafe { Variables::of(environment) };
            // SAFETY: `Variables` gives out C strings.
            seen = all.map(|text| unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()).collect();
            7
        };
        // SAFETY: `pointers` ends in a null pointer and points to C strings of `strings`, which live during the call.
        let result = unsafe { suited(Target::Path(libc::AT_FDCWD, target.as_ptr()), pointers.as_ptr(), execute) };
        assert_eq!(result, 7);
        seen
    }

    #[test]
    fn a_program_that_takes_the_libraries_keeps_its_environment() {
        let all = ["A=1", "LD_PRELOAD=/bin/sh:x.so", "ORA_PRELOADED=/bin/sh"];
        assert_eq!(environment(&all, c"/bin/sh"), all);
        assert_eq!(environment(&["A=1", "LD_PRELOAD=/gone"], c"/bin/sh"), ["A=1", "LD_PRELOAD=/gone"]);
        assert_eq!(environment(&[], c"/bin/sh"), [""; 0]);
    }

    #[test]
    fn words_whose_files_are_gone_are_taken_out_and_the_users_stay() {
        let all = ["A=1", "LD_PRELOAD=/gone/x.so:mine.so /gone/y.so", "ORA_PRELOADED=/gone/x.so:/gone/y.so", "B=2"];
        assert_eq!(environment(&all, c"/bin/sh"), ["A=1", "LD_PRELOAD=mine.so", "B=2"]);
        let all = ["LD_PRELOAD=/gone/x.so", "ORA_PRELOADED=/gone/x.so", "B=2"];
        assert_eq!(environment(&all, c"/bin/sh"), ["B=2"]);
    }

    #[test]
    fn the_dynamic_linkers_log_goes_where_it_could_not_be_written() {
        let gone = ["LD_PRELOAD=/gone/x.so", "ORA_PRELOADED=/gone/x.so", "LD_DEBUG=files", "LD_DEBUG_OUTPUT=/gone/log"];
        assert_eq!(environment(&gone, c"/bin/sh"), [""; 0]);
        let there = ["LD_PRELOAD=/gone/x.so", "ORA_PRELOADED=/gone/x.so", "LD_DEBUG=files", "LD_DEBUG_OUTPUT=/tmp/log"];
        assert_eq!(environment(&there, c"/bin/sh"), there[2..]);
    }

    #[test]
    fn errno_stays_and_a_huge_environment_is_left_alone() {
        let mut all = vec!["LD_PRELOAD=/gone/x.so", "ORA_PRELOADED=/gone/x.so"];
        all.extend(vec!["X=1"; MAX_VARIABLES]);
        // SAFETY: the function takes no arguments; errno's place exists as long as the calling thread (errno(3)).
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: errno's place may be written by its thread, which is this one (errno(3)).
        unsafe { *errno = 77 };
        assert_eq!(environment(&all, c"/bin/sh").len(), MAX_VARIABLES + 2);
        assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(77));
    }

    #[test]
    fn what_cannot_be_read_is_left_to_the_system() {
        let broken = [c"A=1".as_ptr(), std::ptr::without_provenance(8), std::ptr::null()];
        for environment in [std::ptr::without_provenance(8), broken.as_ptr()] {
            let target = Target::Path(libc::AT_FDCWD, c"/bin/sh".as_ptr());
            let execute = |passed: Environment| c_int::from(passed == environment);
            // SAFETY: the part that can be read is a C environment.
            assert_eq!(unsafe { suited(target, environment, execute) }, 1);
        }
    }
}
