//! Runtime adapters: report the events of each kind of OpenMP runtime to the core.
#![cfg_attr(loom, allow(dead_code))] // items that only models use are used in their tests

#[cfg(not(loom))]
pub mod embed;
#[cfg(not(loom))]
pub mod gomp;
#[cfg(not(loom))]
mod lock_routines;
#[cfg(not(loom))]
pub mod ompt;
#[cfg(not(loom))]
pub mod pomp;
mod sync;

/// Modules that loom models use.
#[cfg(loom)]
mod gomp {
    mod dispatch_slots;
    mod target_cache;
}
