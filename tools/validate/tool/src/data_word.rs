//! Values that the validator writes to data words: numbers that identify threads, regions and tasks, and that differ
//! from all other values.

use std::fmt;

/// Kind of object that a number belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A thread.
    Thread,
    /// A parallel region, or a league of teams.
    Region,
    /// A task: initial, implicit or explicit.
    Task,
}

/// Upper half of the numbers of each kind, chosen so that other values of a program are unlikely to match.
const MARKS: [(Kind, u64, &str); 3] = [
    (Kind::Thread, 0x0ac1_7ead, "thread "),
    (Kind::Region, 0x0ac1_9a7a, "region "),
    (Kind::Task, 0x0ac1_7a5c, "task "),
];

/// Value for the `n`th object of a kind.
pub fn number(kind: Kind, n: u32) -> u64 {
    let mark = MARKS.into_iter().find(|(k, ..)| *k == kind).map_or(0, |(_, mark, _)| mark);
    mark << 32 | u64::from(n)
}

/// Kind of object that a value belongs to; `None` if the validator didn't write it.
pub fn kind(value: u64) -> Option<Kind> {
    MARKS.into_iter().find(|(_, mark, _)| *mark == value >> 32).map(|(kind, ..)| kind)
}

/// Display of a data word as the object that it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Shown(pub Option<u64>);

impl fmt::Display for Shown {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(value) = self.0 else { return out.write_str("null") };
        match MARKS.into_iter().find(|(_, mark, _)| *mark == value >> 32) {
            Some((_, _, name)) => write!(out, "{name}{}", value & u64::from(u32::MAX)),
            None if value == 0 => out.write_str("0"),
            None => write!(out, "{value:#x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_its_kind() {
        for (kind_of, text) in [(Kind::Thread, "thread 7"), (Kind::Region, "region 7"), (Kind::Task, "task 7")] {
            let value = number(kind_of, 7);
            assert_eq!(kind(value), Some(kind_of));
            assert_eq!(Shown(Some(value)).to_string(), text);
        }
        assert_eq!((kind(0), kind(7), kind(u64::MAX)), (None, None, None));
        assert_eq!([Shown(None), Shown(Some(0)), Shown(Some(255))].map(|s| s.to_string()), ["null", "0", "0xff"]);
    }
}
