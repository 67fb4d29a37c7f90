//! A recorder between a collector and the library. `libora_request_log.so` is preloaded before `libora.so` and exports
//! the same `__omp_collector_api`. It writes down what the collector passes, passes the same pointer on to the next
//! definition, and writes down what comes back.
//!
//! It only passes calls on unless [`FILE_VARIABLE`](request_format::FILE_VARIABLE) names a file. The layout of the
//! records is defined in [`request_format`].
//!
//! Collectors make requests in signal handlers, so recording neither allocates memory nor takes locks: the head of a
//! record is on the stack, and one `writev` to a file opened with `O_APPEND` takes the buffer from its place. Unlike a
//! shared mapping, this can't kill the program when the disk is full, keeps the records of several threads and processes
//! whole, and doesn't limit their number; what is written survives any end of the process. It costs two system calls per
//! record: this is meant for debugging, not for measurements.

mod forward;
mod record;
mod walk;
