//! Declarations of `ompt_tr2.h` (TR2, appendix A). The header is generated from the files of this folder, so everything
//! is spelled as C spells it.
//!
//! Enums here are values that the library passes out. A value from C is an `int` first: `from_raw` converts it.
#![allow(non_camel_case_types)] // as C spells them

mod callbacks;
mod data;
mod entry_points;
mod events;
mod lists;
mod states;

pub use callbacks::*;
pub use data::*;
pub use entry_points::*;
pub use events::*;
pub use states::*;
