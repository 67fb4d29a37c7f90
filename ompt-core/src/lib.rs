//! Model of a running OpenMP program (threads, regions, states, waits), and dispatch of its events to the tools that
//! are subscribed to them.
//!
//! Runtime adapters report to this crate, and tool interfaces query it; it depends on neither. All code runs on the
//! program's own threads. Nothing here allocates on the heap. No event and no query takes a lock (only changes of
//! subscriptions do). Everything that a query reaches is async-signal-safe.
#![cfg_attr(loom, allow(dead_code, unreachable_pub, unused_imports))] // items that only models use are used in their tests

pub mod attach_handshake;
mod callback_pin;
pub mod event;
pub mod subscription;

// The modules below need the real machine; models of the ones above run without it. (The list is not inside a macro,
// so that rustfmt finds the files.)
#[cfg(not(loom))]
pub mod adapter;
#[cfg(not(loom))]
mod answer;
#[cfg(not(loom))]
pub mod at_once;
#[cfg(not(loom))]
pub mod call_site;
#[cfg(not(loom))]
pub mod contention;
#[cfg(not(loom))]
pub mod detail;
#[cfg(not(loom))]
pub mod device;
#[cfg(not(loom))]
pub mod dispatch;
#[cfg(not(loom))]
mod embedded;
#[cfg(not(loom))]
pub mod errno;
#[cfg(not(loom))]
pub mod explicit_task;
#[cfg(not(loom))]
pub mod fast_task;
#[cfg(not(loom))]
pub mod first_use;
#[cfg(not(loom))]
pub mod frame;
#[cfg(not(loom))]
pub mod graph;
#[cfg(not(loom))]
pub mod identity;
#[cfg(not(loom))]
pub mod implicit_task;
#[cfg(not(loom))]
pub mod instrumented;
#[cfg(not(loom))]
pub mod interface;
#[cfg(not(loom))]
pub mod iterations;
#[cfg(not(loom))]
mod omp_tool;
#[cfg(not(loom))]
pub mod packed_state;
#[cfg(not(loom))]
pub mod query;
#[cfg(not(loom))]
pub mod quiescence;
#[cfg(not(loom))]
pub mod region;
#[cfg(not(loom))]
pub mod runtime_info;
#[cfg(not(loom))]
pub mod state;
#[cfg(not(loom))]
mod suspended;
#[cfg(not(loom))]
pub mod target_construct;
#[cfg(not(loom))]
pub mod task;
#[cfg(not(loom))]
mod team;
#[cfg(not(loom))]
pub mod thread;
#[cfg(not(loom))]
pub mod tls;
#[cfg(not(loom))]
mod tool_log;
#[cfg(not(loom))]
pub mod tr2;
#[cfg(not(loom))]
mod unwinding;
#[cfg(not(loom))]
pub mod v5;
#[cfg(not(loom))]
pub mod wait;
#[cfg(not(loom))]
mod work_shares;
