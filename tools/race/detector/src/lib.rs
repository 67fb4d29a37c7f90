//! The race detector of `ora race`.
//!
//! The shared library `libora_race.so` is preloaded in front of `libora.so`. It tells ThreadSanitizer which accesses OpenMP
//! orders, and writes the races that ThreadSanitizer then finds as lines of [`race_format`].
//!
//! - `tool` is an OMPT tool. It leads events to what they order: `region`, `task`, `group`, `dependences`, `mutex` (`held`).
//!   Each of these has vector clocks (`clock`), which are ThreadSanitizer's own (`sanitizer`).
//! - `fiber` gives each task a context of its own: two tasks of one thread are concurrent. `shadow` forgets what was
//!   accessed on the stack that they share, as deep as `depth` says, and at words of the thread's own storage (`own_words`).
//! - `chunk` and `teams` do the same for sections, chunks of loops and teams (`share`, `league`).
//! - `callers` reads which functions a task was created in, from a context's `call_stack`. `construct` is what a `history` keeps of a task.
//! - `pause` lets another thread take the next `single` construct.
//! - `calls` observes calls of the runtime, for what OMPT doesn't say (`facts`, `reductions`).
//! - `flush` remembers flushes, for the verdict.
//! - `target` orders target regions by their dependences.
//! - `fortran` records accesses that libgfortran makes for the program.
//! - `hooks` are called about ThreadSanitizer's reports, `report` reads them, `verdict` judges them, `line` and `file` write them. `silence` keeps its own text back.

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
mod group;
mod held;
mod history;
mod hooks;
mod league;
mod line;
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
mod silence;
mod target;
mod task;
mod teams;
mod thread;
mod tool;
mod verdict;

pub use race_format::VERSION;
