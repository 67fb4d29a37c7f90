//! Lines about what did not fit into the collectors' tables.

use stat_layout::loaded::OBJECTS;
use terminal::quantity::count;

/// The line about loaded objects that were left out.
pub(crate) fn objects(left_out: usize) -> String {
    let objects = count(left_out as u64, "loaded file has", "loaded files have");
    format!("{objects} no place in the table of {OBJECTS}: places of the program in them are shown as addresses.")
}
