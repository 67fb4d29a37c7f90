//! OMPT of Technical Report 2: the face that a tool with `ompt_initialize` sees.
//!
//! `session.rs` finds the tool and asks it, once the runtime is used; what it registers is kept by `callbacks.rs`. From then on
//! `deliver.rs` turns the core's events into the tool's callbacks, and the tool asks by way of `entry_points.rs`.

mod answers;
mod call;
mod callbacks;
mod deliver;
mod entry_points;
mod initializer;
mod opening;
mod session;
mod states;
mod tool;
pub mod types;

/// Looks for the tool: later the linker may be busy.
pub fn look() {
    let _ = initializer::look();
}

pub use opening::shut_down;
pub use session::{after_fork, control, has_tool, initialize};
