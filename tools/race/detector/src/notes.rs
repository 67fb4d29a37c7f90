//! Notes for the user: what can't be seen in a process, and the remedy.

/// No ThreadSanitizer.
pub(crate) const NO_SANITIZER: &str = "the program has no ThreadSanitizer whose functions can be called";

/// Another library is asked about reports.
pub(crate) const LATE_FOR_REPORTS: &str = "ThreadSanitizer's library is in front of libora_race.so: its reports are on stderr, and were not judged. Take it out \
                                of LD_PRELOAD, or put it behind what `ora race` has there";

/// Another library gets the program's calls.
pub(crate) const LATE_FOR_CALLS: &str = "a library in front of libora_race.so has libgomp's functions: tasks that one thread executes are taken for ordered. \
                              Put it behind what `ora race` has in LD_PRELOAD";

/// Nobody is asked about reports.
pub(crate) const NO_REPORTS: &str = "ThreadSanitizer is linked into the program, where its reports can't be judged: tasks that one thread \
                          executes are taken for ordered";

/// No fibers.
pub(crate) const NO_FIBERS: &str =
    "this ThreadSanitizer has no fibers: tasks that one thread executes are taken for ordered";

/// No shadow that can be cleared.
pub(crate) const NO_SHADOW: &str = "where ThreadSanitizer keeps what it knows of the stack was not found out: tasks that one thread \
                         executes are taken for ordered";
