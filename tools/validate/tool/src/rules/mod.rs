//! The rules, one file for each family. All are parts of the engine.

mod barrier;
mod cancel;
mod chunks;
mod code;
mod dependence;
mod frame;
mod implicit;
mod mutex;
mod parallel;
mod query;
mod release;
mod schedule;
mod sync;
mod task;
mod thread;
mod tool;
mod work;
