//! `libora_guard.so`: preloaded by the command `ora` together with `libora.so`. It examines each program that a watched process is
//! about to execute. If the program can't load what `ora` has added to LD_PRELOAD, the guard removes it from the program's
//! environment. Such programs are:
//!
//! - those whose root or mount namespace doesn't have the files: the dynamic linker would complain on the program's
//!   stderr;
//! - those for another machine or word size, for the same reason;
//! - those of a C library other than glibc, which would not start.
//!
//! The variable [`ADDED`] lists what `ora` has added. Statically linked programs keep their environment for the
//! programs that they start.
//!
//! All of this code runs between a program's fork (or vfork) and exec: it doesn't allocate memory, take locks, change `errno`
//! or act as a cancellation point, and it writes to the calling stack only.

mod environment;
mod exec;
mod image;
mod readable;
mod system;
mod target;
mod unwatched;

/// The environment variable that lists the words, separated by colons, that `ora` has added to LD_PRELOAD.
pub const ADDED: &str = "ORA_PRELOADED";
