//! Lines of the program's source that have a directive of OpenMP.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use untrusted::source;

/// Maximum size of a source file that is read.
const MAX_BYTES: u64 = 8 << 20;

/// Text of a source file. `None` if it can't be read, or if it was written after a time by CLOCK_REALTIME: its lines may be others than those
/// that were compiled.
pub(crate) fn source(file: &str, until_ns: Option<u64>) -> Option<String> {
    let path = Path::new(file);
    let bytes = match until_ns {
        Some(until_ns) => source::read_unchanged(path, MAX_BYTES, UNIX_EPOCH + Duration::from_nanos(until_ns)),
        None => source::read(path, MAX_BYTES),
    };
    Some(String::from_utf8_lossy(&bytes.ok()?).into_owned())
}

/// Text of a directive after `#pragma omp` or `!$omp`.
pub(crate) fn sentinel(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix('#') {
        return rest.trim_start().strip_prefix("pragma")?.trim_start().strip_prefix("omp");
    }
    fortran(line)
}

/// Text of one of Fortran's directives.
pub(crate) fn fortran(line: &str) -> Option<&str> {
    let (start, rest) = line.trim_start().split_at_checked(5)?;
    ["!$omp", "c$omp", "*$omp"].iter().any(|known| start.eq_ignore_ascii_case(known)).then_some(rest)
}

/// The words of a directive, in lower case.
pub(crate) fn words(directive: &str) -> impl Iterator<Item = String> {
    let words = directive.split(|other: char| !other.is_ascii_alphanumeric() && other != '_');
    words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase)
}

/// True for a directive of a worksharing loop, also a combined one.
pub(crate) fn is_loop(directive: &str) -> bool {
    words(directive).any(|word| word == "for" || word == "do")
}

/// True for a line with a directive of an `atomic` construct.
pub fn is_atomic(line: &str) -> bool {
    sentinel(line).is_some_and(|rest| rest.trim_start().to_ascii_lowercase().starts_with("atomic"))
}
