//! `libora_guard.so`: preloaded by the command `ora` beside `libora.so`. It looks at what a watched process is about to execute, and
//! takes what `ora` has added to LD_PRELOAD out of the environment of a program that can't take it:
//!
//! - one whose root or mount namespace doesn't have the files, whose dynamic linker would complain on the program's stderr;
//! - one for another machine or word size, likewise;
//! - one of another C library than glibc, which would not start.
//!
//! The variable [`ADDED`] says what `ora` has added. Statically linked programs keep the environment for those that they start.
//!
//! Everything here runs between a program's fork (or vfork) and exec: it allocates nothing, takes no lock, keeps `errno`, is no
//! cancellation point, and writes to the calling stack only.

mod environment;
mod exec;
mod image;
mod system;
mod target;
mod unwatched;

/// The environment variable with the words, a colon between them, that `ora` has added to LD_PRELOAD.
pub const ADDED: &str = "ORA_PRELOADED";
