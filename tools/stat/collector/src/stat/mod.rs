//! The collector of `ora stat`: adds up each thread's time by activity.
//!
//! `ora stat` creates shared memory ([`stat_layout::area`]), passes its path in [`stat_layout::stat::AREA_VARIABLE`] and starts the
//! program. The collector opens an ORA session, and at each event charges the time since the last one to what the thread did meanwhile
//! (`timeline`). The totals are in the shared memory ([`stat_layout::stat::layout`]), so they survive every way for the process to end.
//!
//! At some events it reads how much of that time the thread was on a processor (`usage`).
//!
//! Late barriers: with `ORA_IBAR=late` the end of a region's last barrier is reported to a worker only when the next region wakes
//! it. The time of JOIN, kept in a ring ([`stat_layout::stat::joins`]), separates the barrier from the idle time after it.
//!
//! Regions: a fork is looked up by the return address of the program's call (`origin`), whose row ([`stat_layout::stat::regions`]) gets the
//! region's count and times. Members of the team leave their shares of the work ([`stat_layout::stat::instances`], `shares`) at each
//! barrier, so that imbalance is known by instance and phase. A region that one thread executes alone is recorded as a whole.

mod before;
mod blocks;
mod member;
mod origin;
mod runtimes;
mod session;
mod shares;
mod surroundings;
mod time_off;
mod timeline;
mod usage;

pub(crate) use session::{attach, is_open, leave_parents, on_quick_exit, start, stop};
