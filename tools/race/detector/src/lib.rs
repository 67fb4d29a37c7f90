//! The race detector of `ora race`.
//!
//! The shared library `libora_race.so` is preloaded before `libora.so`. It passes ThreadSanitizer the order of accesses
//! that OpenMP guarantees, and writes the races that ThreadSanitizer then finds as lines of [`race_format`].
//!
//! - `tool` is an OMPT tool. It passes events to the objects that they order: `region`, `implicit`, `task`, `group`, `dependences`,
//!   `mutex` (`held`). Each of these has vector clocks (`clock`), which are ThreadSanitizer's own (`sanitizer`).
//! - `fiber` gives each task a context of its own: two tasks of one thread are concurrent. `shadow` forgets the accesses to
//!   the stack that they share, as deep as `depth` determines, and to words of the thread's own storage (`own_words`).
//! - `chunk` and `teams` do the same for sections, chunks of loops and teams (`share`, `league`).
//! - `callers` reads the functions in which a task was created from a context's `call_stack`. `construct` is what a
//!   `history` stores about a task.
//! - `pause` lets another thread take the next `single` construct.
//! - `calls` observes calls of the runtime, for facts that OMPT doesn't report (`facts`, `reductions`).
//! - `flush` remembers flushes, for the verdict.
//! - `llvm_reductions` hides what LLVM's runtime orders by its own atomics.
//! - `fortran` records accesses that libgfortran makes for the program.
//! - `hooks` are called about ThreadSanitizer's reports, `report` reads them (`frames`), `verdict` judges them, `line` and
//!   `file` write them, `modules` what is loaded. `silence` suppresses its own text.

mod allocator;
mod call_stack;
mod callers;
mod calls;
mod chunk;
mod clock;
mod construct;
mod dependences;
mod depth;
mod facts;
mod fiber;
mod file;
mod flush;
mod fortran;
mod frames;
mod group;
mod held;
mod history;
mod hooks;
mod implicit;
mod league;
mod line;
mod llvm_reductions;
mod modules;
mod mutex;
mod notes;
mod own_memory;
mod own_words;
mod pause;
mod reductions;
mod region;
mod report;
mod sanitizer;
mod settings;
mod shadow;
mod share;
mod signals;
mod silence;
mod task;
mod teams;
mod thread;
mod tool;
mod verdict;

pub use race_format::VERSION;
