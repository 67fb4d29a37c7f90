//! Files, folders, descriptors and memory that are controlled by someone else: a watched process, its user, or the
//! writer of a recording.
//!
//! `ora` may run as root while the other side is an unprivileged user. Every object of the other side is opened here,
//! according to the rules of `docs/threats.md`: it is opened once without effect (`O_PATH`), checked through its descriptor,
//! and used through that descriptor. Each read has a bound. Clippy rejects such calls in the command's other crates
//! (`disallowed_methods`).

pub mod acting;
mod beneath;
pub mod bounded_file;
pub mod cache;
pub mod content;
pub mod descriptor;
pub mod figure;
mod handle;
pub mod own_folder;
pub mod proc_text;
pub mod recording;
pub mod regular;
pub mod rights;
pub mod source;
pub mod trusted;
