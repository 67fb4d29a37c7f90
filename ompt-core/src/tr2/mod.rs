//! OMPT of Technical Report 2: the tool interface for tools with `ompt_initialize`.
//!
//! At the first use of the runtime, `session.rs` finds the tool and asks it; `callbacks.rs` keeps what it registers.
//! From then on `deliver.rs` translates core events to the tool's callbacks, and `entry_points.rs` answers the tool's
//! queries.

mod answers;
mod call;
mod callback_period;
mod callbacks;
mod deliver;
mod entry_points;
mod initializer;
mod session;
mod states;
mod tool;

/// Looks for the tool. Called while the library is being loaded: later the linker may be busy.
pub fn look() {
    let _ = initializer::look();
}

pub use callback_period::shut_down;
pub use ompt_abi::tr2 as types;
pub use session::{after_fork, control, has_tool, initialize};
