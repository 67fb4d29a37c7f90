//! Examination of programs, for `ora doctor`: whether their OpenMP would be seen, and if not, why, and what to do.
//!
//! [`installation()`], [`process()`] and [`Examined::program`] examine files, `/proc` and the environment, and start nothing except
//! this system's dynamic linker. [`Examined::run`] judges a run that the caller starts. The result is [`Findings`], as text or JSON.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bindings;
mod callbacks;
mod events;
mod examined;
mod findings;
mod found_tool;
mod installation;
mod loaded_runtime;
mod object;
mod observation;
mod observed_run;
mod order;
mod privilege;
mod process;
mod program;
mod refusal;
mod runtime;
mod runtime_reasons;
mod script;
mod setting;
mod static_loops;
mod text;
mod tool_variables;
mod tools;

pub use examined::{Examined, why_unseen};
pub use findings::Findings;
pub use installation::examine as installation;
pub use observed_run::Ended;
pub use process::examine as process;
pub use refusal::Refusal;
pub use setting::Installed;
pub use text::render as text;
