//! A recorder between a collector and the library: `libora_request_log.so` is preloaded in front of `libora.so`, exports
//! the same `__omp_collector_api`, writes down what the collector hands over, passes the very pointer on to the next
//! definition, and writes down what came back.
//!
//! It does nothing but pass calls on unless [`FILE_VARIABLE`](request_format::FILE_VARIABLE) names a file. The layout of
//! the records is that of [`request_format`].
//!
//! Collectors ask from signal handlers, so a record is made without memory or locks: its head lies on the stack, and one
//! `writev` to a file opened with `O_APPEND` takes the buffer from where it is. Other than a shared mapping, this can't
//! kill the program when the disk is full, keeps records of several threads and processes whole, and needs no limit on
//! their number; what is written survives any end of the process. It costs two system calls a record: this is for looking
//! closely, not for measuring.

mod forward;
mod record;
mod walk;
