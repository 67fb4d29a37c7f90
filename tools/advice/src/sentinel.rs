//! Lines of the program's source that have a directive of OpenMP.

use std::path::Path;

use untrusted::source;

/// Maximum size of a source file that is read.
const MAX_BYTES: u64 = 8 << 20;

/// Text of a source file. `None` if it can't be read.
pub(crate) fn source(file: &str) -> Option<String> {
    let bytes = source::read(Path::new(file), MAX_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Text of a directive after `#pragma omp` or `!$omp`.
pub(crate) fn sentinel(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix('#') {
        return rest.trim_start().strip_prefix("pragma")?.trim_start().strip_prefix("omp");
    }
    let (start, rest) = line.split_at_checked(5)?;
    ["!$omp", "c$omp", "*$omp"].iter().any(|known| start.eq_ignore_ascii_case(known)).then_some(rest)
}

/// True for a line with a directive of an `atomic` construct.
pub fn is_atomic(line: &str) -> bool {
    sentinel(line).is_some_and(|rest| rest.trim_start().to_ascii_lowercase().starts_with("atomic"))
}
