//! Regions and functions with their time.

use serde::Serialize;

/// Number of activities that a bar distinguishes.
pub const ACTIVITIES: usize = 5;

/// Activity of a row's threads, in the order of `bars.js`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Executing code of the program on a processor.
    Work,
    /// Waiting at barriers for threads that run longer.
    Imbalance,
    /// All other waits.
    Waits,
    /// Ready to run without a processor, or waiting for such a thread.
    NoProcessor,
    /// Worker between regions.
    Idle,
}

/// Kind of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Parallel region of the program's text.
    #[default]
    Region,
    /// A function.
    Function,
    /// Code outside of regions.
    Outside,
}

/// Region or function.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// Kind of the row.
    pub kind: Kind,
    /// Name of the function.
    pub name: String,
    /// `heat.c:10`; empty if unknown.
    pub place: String,
    /// Path of the source file, or of the object.
    pub file: String,
    /// Name by which findings refer to it.
    pub key: String,
    /// Time of threads in it, which is the sum of `parts`.
    pub ns: u64,
    /// Its parts by [`Activity`].
    pub parts: [u64; ACTIVITIES],
    /// Time of threads in a function and its callees.
    pub calls_ns: Option<u64>,
    /// Wall time of all regions of the place, from fork to join.
    pub wall_ns: Option<u64>,
    /// Number of these regions.
    pub count: Option<u64>,
    /// Size of the largest team.
    pub team: Option<u64>,
    /// Imbalance of the team's work, as a part of 1.
    pub imbalance: Option<f64>,
    /// Wall time that even shares would save.
    pub gain_ns: Option<u64>,
    /// Source lines: the index of each, and the row's time on the line itself.
    pub lines: Vec<(usize, u64)>,
    /// Waits in it, longest first.
    pub waits: Vec<Wait>,
}

impl Row {
    /// Adds time.
    pub fn add(&mut self, activity: Activity, ns: u64) {
        let part = self.parts.get_mut(activity as usize);
        part.into_iter().for_each(|part| *part = part.saturating_add(ns));
        self.ns = self.ns.saturating_add(ns);
    }

    /// Moves time from one activity to another, up to the available amount.
    pub fn move_part(&mut self, from: Activity, to: Activity, ns: u64) {
        let ns = ns.min(self.parts.get(from as usize).copied().unwrap_or(0));
        self.parts.get_mut(from as usize).into_iter().for_each(|part| *part -= ns);
        self.parts.get_mut(to as usize).into_iter().for_each(|part| *part = part.saturating_add(ns));
    }
}

/// Sum of a row's waits of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// Kind of the wait, and which threads it is for.
    pub name: String,
    /// Time of threads.
    pub ns: u64,
    /// Number of waits; 0 if unknown.
    pub count: u64,
}

/// Source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Path of the file.
    pub file: String,
    /// Number of the line.
    pub line: u32,
    /// Text of the line; `None` if the source can't be read.
    pub text: Option<String>,
    /// Time on the line and in its callees.
    pub all_ns: u64,
    /// Two digits for each piece of time: how much of the threads' time they worked there and waited there, from 0 to 9; empty if unknown.
    pub strip: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_moved_than_there_is() {
        let mut row = Row::default();
        row.add(Activity::Waits, 10);
        row.move_part(Activity::Waits, Activity::Imbalance, 7);
        row.move_part(Activity::Waits, Activity::NoProcessor, 7);
        assert_eq!((row.parts, row.ns), ([0, 7, 0, 3, 0], 10));
    }
}
