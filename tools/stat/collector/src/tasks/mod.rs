//! The collector of `ora tasks`: what tasks cost, by the place in the program that creates them.
//!
//! `ora tasks` creates shared memory ([`stat_layout::area`]), passes its path in [`stat_layout::tasks::AREA_VARIABLE`] and starts the
//! program. The collector opens an ORA session for the task events. Each thread keeps what it executes on a stack of its own (`nesting`),
//! and adds up times in cells of the shared memory that no other thread writes (`sums`), one for each place in the program. A task that
//! waits in the runtime's pool is remembered by its id (`pool`) until a thread executes it. The place is the return address of the
//! program's call into the runtime, found on the stack (`crate::stack`, `crate::objects`): the interface doesn't report it. What
//! that call means is read from the code once (`call_site`, `meanings`).

mod alone;
mod call_site;
mod cost;
mod frames;
mod handover;
mod meanings;
mod nesting;
mod owner;
mod pool;
mod session;
mod thread;
mod thread_sums;
mod undeferred_overhead;

pub(crate) use session::{attach, is_open, leave_parents, on_quick_exit, start, stop};
