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

/// The whole text of the directive that begins in a line, and the number of the line after it. A line that ends with a backslash, or in
/// Fortran with an ampersand, continues in the next one.
pub(crate) fn whole(lines: &[&str], at: usize) -> Option<(String, usize)> {
    sentinel(lines.get(at)?)?;
    let (mut directive, mut next) = (String::new(), at);
    while let Some(line) = lines.get(next) {
        let line = sentinel(line).unwrap_or(line).trim();
        let part = line.strip_suffix(['\\', '&']);
        directive.push_str(part.unwrap_or(line));
        directive.push(' ');
        next += 1;
        if part.is_none() {
            break;
        }
    }
    Some((directive, next))
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
