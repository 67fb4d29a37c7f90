//! Analysis of what `ora trace` has recorded, and files for other programs.
//!
//! A [`Timeline`] is one process: its threads with nested [`Slice`]s of time, its regions and tasks. [`cause`] determines which thread
//! another one has waited for, [`Samples`] are call stacks of the same run, `facts` are the figures from which `advice` derives findings.
//! [`text`] and [`json`] are the report; [`html`] writes a page for browsers, [`perfetto`], [`otf2`], [`paraver`] and [`firefox`] write the
//! timeline for other programs.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod ancestry;
mod by_id;
mod call;
pub mod cause;
mod clock;
mod counts;
mod creators;
mod drawn;
mod efficiency;
mod facts;
pub mod firefox;
pub mod flow;
mod held;
pub mod html;
pub mod json;
mod kinds;
mod last_task;
mod open;
pub mod otf2;
mod outermost;
pub mod paraver;
pub mod perfetto;
mod replay;
mod roles;
pub mod run;
mod samples;
mod serial;
mod shares;
mod site;
mod slice;
mod stack;
mod steps;
mod task;
pub mod text;
mod timeline;
mod together;
mod unrecorded;
mod waits_by_place;

pub use counts::Counts;
pub use efficiency::Efficiency;
pub use open::{OpenError, is_trace, of_events, open};
pub use replay::MAX_EVENTLESS_THREADS;
pub use samples::Samples;
pub use site::{Site, Sites};
pub use slice::{Slice, What};
pub use task::{Region, Task};
pub use timeline::{Thread, Timeline};
pub use together::note as note_together;
