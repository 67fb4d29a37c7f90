//! Rules for code on a program's threads: forbidden functions, and exceptions.

use std::fmt;

use crate::reasons;

/// Reason why a call is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// A panic: it would end a program that did nothing wrong.
    Panic,
    /// The guard that the compiler puts into an `extern "C"` function: it aborts when a panic unwinds into it.
    Guard,
    /// An allocation: the allocator may hold a lock of the thread that a signal handler has interrupted.
    Allocation,
    /// A lazy thread-local: it is allocated at its first access.
    LazyThreadLocal,
    /// A function that is not listed as safe in a signal handler.
    Unknown,
    /// A call through a pointer, whose target is unknown.
    Pointer,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Panic => "can panic",
            Self::Guard => "aborts when something unwinds into it",
            Self::Allocation => "can allocate or free memory",
            Self::LazyThreadLocal => "touches a lazy thread-local",
            Self::Unknown => "calls what may not be safe in a handler",
            Self::Pointer => "calls through a pointer",
        })
    }
}

/// Exception: the permitted fault, the prefix of the functions' names as `nm -C` prints them, and the reason. For [`Fault::Unknown`], the
/// name is that of the function that may be called.
pub(super) type Exception = (Fault, &'static str, &'static str);

/// Exceptions of a list.
pub(super) fn exceptions(list: &'static str) -> Vec<Exception> {
    let fault = |name| match name {
        "guard" => Fault::Guard,
        "allocation" => Fault::Allocation,
        "lazy-thread-local" => Fault::LazyThreadLocal,
        "pointer" => Fault::Pointer,
        "import" => Fault::Unknown,
        _ => Fault::Panic,
    };
    let parts = reasons::parts(list).into_iter().map(|(name, lines)| (fault(name), lines));
    parts.flat_map(|(fault, lines)| lines.into_iter().map(move |(start, reason)| (fault, start, reason))).collect()
}

/// Exceptions for `libora.so`.
pub(super) const OF_LIBRARY: &str = include_str!("../../templates/panics.txt");

/// Crates that are covered as a whole.
const WATCHED: [&str; 3] = ["runtimes::", "ompt_core::", "system::"];
/// Crate that is covered as far as [`ENTRY`] reaches.
const ORA: &str = "ora::";
/// Entry point of requests.
pub(super) const ENTRY: &str = "__omp_collector_api";

/// Forbidden functions; with `*`, all whose names start so. The first line that a name matches counts.
const FORBIDDEN: [(Fault, &[&str]); 4] = [
    (Fault::Guard, &["core::panicking::panic_cannot_unwind", "core::panicking::panic_in_cleanup"]),
    (
        Fault::Panic,
        &[
            "core::panicking*",
            "std::panicking::*",
            "std::rt::begin_panic*",
            "std::rt::panic_fmt*",
            "core::option::unwrap_failed",
            "core::option::expect_failed",
            "core::result::unwrap_failed",
            "core::slice::index::slice_*",
            "core::slice::copy_from_slice_impl::len_mismatch_fail",
            "core::str::slice_error_fail",
            "core::cell::panic_*",
            "core::intrinsics::const_eval_select_panic",
            "rust_begin_unwind",
            "__rustc::rust_begin_unwind",
        ],
    ),
    (
        Fault::Allocation,
        &[
            // The ends of failed allocations.
            "alloc::raw_vec::handle_error",
            "alloc::raw_vec::capacity_overflow",
            "alloc::alloc::handle_alloc_error",
            "__rust_alloc*",
            "__rust_dealloc",
            "__rust_realloc",
            "__rdl_*",
            "__rustc::__rust_*",
            "__rustc::__rdl_*",
            "malloc",
            "calloc",
            "realloc",
            "reallocarray",
            "posix_memalign",
            "aligned_alloc",
            "memalign",
            "free",
        ],
    ),
    (Fault::LazyThreadLocal, &["__tls_get_addr"]),
];

/// Reason why a call of `name` is forbidden; `None` if it is permitted.
pub(super) fn fault(name: &str) -> Option<Fault> {
    let is = |entry: &&str| entry.strip_suffix('*').map_or(name == *entry, |start| name.starts_with(start));
    FORBIDDEN.iter().find(|(_, entries)| entries.iter().any(is)).map(|(fault, _)| *fault)
}

/// True if `name` is a function of the crates that are covered as a whole.
pub(super) fn is_watched(name: &str) -> bool {
    WATCHED.iter().any(|krate| is_of(name, krate))
}

/// True if `name` is a function of crate `ora`.
pub(super) fn is_of_ora(name: &str) -> bool {
    is_of(name, ORA) || name == ENTRY
}

/// Prefix of the exception that permits `fault` in `name`.
pub(super) fn exception(exceptions: &[Exception], name: &str, fault: Fault) -> Option<&'static str> {
    let found = exceptions.iter().find(|(allowed, start, _)| *allowed == fault && name.starts_with(start));
    found.map(|(_, start, _)| *start)
}

/// True if a demangled name belongs to a crate: `a::f`, `<a::T>::f`, `<a::T as b::U>::f`, `<b::T as a::U>::f`.
fn is_of(name: &str, krate: &str) -> bool {
    let head = name.trim_start_matches(['<', '&', '*', '(', '[', ' ']);
    let head = head.strip_prefix("mut ").or_else(|| head.strip_prefix("const ")).unwrap_or(head);
    if head.starts_with(krate) {
        return true;
    }
    // Handles the trait of an implementation for another crate's type.
    name.starts_with('<')
        && name.match_indices(" as ").any(|(at, word)| name.split_at(at + word.len()).1.starts_with(krate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_the_crate_that_defines_them() {
        for name in [
            "runtimes::gomp::f",
            "<runtimes::gomp::T>::f",
            "<runtimes::T as core::fmt::Debug>::fmt",
            "<u8 as runtimes::U>::f",
        ] {
            assert!(is_watched(name), "{name}");
        }
        for name in ["core::ptr::drop_in_place::<runtimes::T>", "ghosts::f", "ora::runtimes::f", "malloc"] {
            assert!(!is_watched(name), "{name}");
        }
        assert!(is_of_ora("__omp_collector_api") && is_of_ora("<ora::wire::Entries>::next"));
    }

    #[test]
    fn faults_are_known_by_name() {
        for (name, expected) in [
            ("core::panicking::panic_cannot_unwind", Some(Fault::Guard)),
            ("core::slice::index::slice_end_index_len_fail", Some(Fault::Panic)),
            ("core::option::unwrap_failed", Some(Fault::Panic)),
            ("core::option::unwrap_failed_not", None),
        ] {
            assert_eq!(fault(name), expected, "{name}");
        }
    }
}
