//! A recorder between a collector and the library: `libora_request_log.so` is preloaded in front of `libora.so`, exports
//! the same `__omp_collector_api`, writes down what the collector hands over, passes the very pointer on to the next
//! definition, and writes down what came back.
//!
//! It does nothing but pass calls on unless [`FILE_VARIABLE`] names a file. As a Rust library the crate gives `ora` the
//! layout of the records ([`mod@format`], also described in `docs/reference/request-log.md`).
//!
//! Collectors ask from signal handlers, so a record is made without memory or locks: its head lies on the stack, and one
//! `writev` to a file opened with `O_APPEND` takes the buffer from where it is. Other than a shared mapping, this can't
//! kill the program when the disk is full, keeps records of several threads and processes whole, and needs no limit on
//! their number; what is written survives any end of the process. It costs two system calls a record: this is for looking
//! closely, not for measuring.

pub mod format;
mod forward;
mod record;
mod walk;

/// The environment variable that names the file. Unset: nothing is recorded.
pub const FILE_VARIABLE: &str = "ORA_REQUEST_LOG";
