//! The collector of `ora stat`: adds up each thread's time by activity.
//!
//! `ora stat` makes a piece of shared memory ([`crate::area`]), passes its path in [`AREA_VARIABLE`] and starts the program. The
//! collector opens an ORA session, and at each event charges the time since the last one to what the thread did
//! meanwhile (`timeline`). The totals lie in the shared memory ([`layout`]), so they outlive every kind of end.
//!
//! At some events it reads how much of that time the thread was on a processor (`usage`).
//!
//! Late barriers: with `ORA_IBAR=late` the end of a region's last barrier is reported to a worker only when the next region
//! wakes it. The time of JOIN, kept in a ring ([`joins`]), separates the barrier from the idle time behind it.
//!
//! Regions: a fork is looked up by the return address of the program's call (`origin`), whose row ([`regions`]) gets the
//! region's count and times. Members of the team leave their shares of the work ([`instances`], `shares`) at each
//! barrier, so that imbalance is known by instance and phase. A region that one thread executes alone is booked as a whole.

mod activity;
mod before;
pub mod instances;
pub mod joins;
pub mod layout;
mod member;
mod origin;
pub mod processor_time;
pub mod regions;
mod runtimes;
mod session;
mod shares;
pub mod surroundings;
mod timeline;
mod usage;
pub mod watching;

pub(crate) use session::{attach, is_open, leave_parents, start, stop};

/// The environment variable that names the shared memory. Unset: the collector does nothing.
pub const AREA_VARIABLE: &str = "ORA_STAT_FILE";
