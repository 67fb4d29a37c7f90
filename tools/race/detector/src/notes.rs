//! Notes for the user: what can't be seen in a process, and the remedy.

/// No ThreadSanitizer.
pub(crate) const NO_SANITIZER: &str = "the program has no ThreadSanitizer whose functions can be called";

/// Another library is asked about reports.
pub(crate) const LATE_FOR_REPORTS: &str = "ThreadSanitizer's library comes before libora_race.so: its reports are on stderr, \
                                and were not judged. Remove it from LD_PRELOAD, or put it after the libraries of `ora race`";

/// Another library gets the program's calls.
pub(crate) const LATE_FOR_CALLS: &str = "a library before libora_race.so has libgomp's functions: tasks that one thread \
                              executes are assumed to be ordered. Put it after the libraries of `ora race` in LD_PRELOAD";

/// Nobody is asked about reports.
pub(crate) const NO_REPORTS: &str = "ThreadSanitizer is linked into the program, where its reports can't be judged: tasks that one thread \
                          executes are assumed to be ordered";

/// No fibers.
pub(crate) const NO_FIBERS: &str =
    "this ThreadSanitizer has no fibers: tasks that one thread executes are assumed to be ordered";

/// No shadow that can be cleared.
pub(crate) const NO_SHADOW: &str = "the place of ThreadSanitizer's shadow stack was not found: tasks that one thread \
                         executes are assumed to be ordered";
