//! Declarations of `omp-tools.h` (OpenMP 5.0, 4.4 to 4.6; additions of 5.1, 5.2 and 6.0 are marked). The header is generated
//! from the files of this folder, so everything is spelled as C spells it.
//!
//! Enums here are values that the library passes out. A value from C is an `int` first: `from_raw` converts it.
#![allow(non_camel_case_types)] // as C spells them

mod callbacks;
mod data;
mod device_callbacks;
mod device_entry_points;
mod device_kinds;
mod entry_points;
mod flags;
mod host_callbacks;
mod kinds;
mod lists;
mod records;
mod start;
mod states;
mod trace_record;

pub use callbacks::*;
pub use data::*;
pub use device_callbacks::*;
pub use device_entry_points::*;
pub use device_kinds::*;
pub use entry_points::*;
pub use flags::*;
pub use host_callbacks::*;
pub use kinds::*;
pub use records::*;
pub use start::*;
pub use states::*;
pub use trace_record::*;
