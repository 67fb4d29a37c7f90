//! Examination of programs, for `ora doctor`: would their OpenMP be seen, and if not, why, and what to do.
//!
//! [`installation()`], [`process()`] and [`Examined::program`] look at files, at `/proc` and at the environment, and start nothing but
//! this system's dynamic linker. [`Examined::run`] judges a run that somebody else starts. The answer is [`Findings`], as text or JSON.
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
