//! Tables other than that of regions and functions.

use serde::Serialize;

use crate::{ACTIVITIES, Quantity};

/// Part of the page below which a table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Below the regions and functions.
    Where,
    /// Below the timeline.
    When,
    /// Among the facts.
    Facts,
}

/// Table that the reader can sort.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// Part of the page.
    pub part: Part,
    /// Title.
    pub title: &'static str,
    /// Explanation below the title; empty if there is none.
    pub note: &'static str,
    /// Heads of the columns.
    pub heads: Vec<String>,
    /// Rows, as long as `heads`.
    pub rows: Vec<Vec<Cell>>,
}

/// Cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A quantity or a text.
    Quantity(Quantity),
    /// Times by activity, drawn as a bar.
    Bar {
        /// Nanoseconds by [`crate::Activity`].
        bar: [u64; ACTIVITIES],
    },
    /// Moment of the timeline, which a click shows.
    Moment {
        /// Nanoseconds since the start.
        at: u64,
        /// Length of the event at that moment.
        ns: u64,
        /// Index of the thread.
        thread: u32,
    },
}

impl<T: Into<Quantity>> From<T> for Cell {
    fn from(quantity: T) -> Self {
        Self::Quantity(quantity.into())
    }
}
