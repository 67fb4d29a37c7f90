//! What `ompt_tr2.h` declares (TR2, appendix A). The header is generated from the files of this folder, so everything is
//! spelled as C spells it.
//!
//! An enum here is what we hand out. What comes in from C is an `int` first: `from_raw` turns it into one.
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
