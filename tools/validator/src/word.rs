//! What the validator keeps in data words: numbers that tell threads, regions and tasks apart, and from anything else.

use std::fmt;

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A thread.
    Thread,
    /// A parallel region, or a league of teams.
    Region,
    /// A task: initial, implicit or explicit.
    Task,
}

/// In the upper half of each number; nothing that a program keeps by accident.
const MARKS: [(Kind, u64, &str); 3] = [
    (Kind::Thread, 0x0ac1_7ead, "thread "),
    (Kind::Region, 0x0ac1_9a7a, "region "),
    (Kind::Task, 0x0ac1_7a5c, "task "),
];

/// The number of the `n`th thing of a kind.
pub fn number(kind: Kind, n: u32) -> u64 {
    let mark = MARKS.into_iter().find(|(k, ..)| *k == kind).map_or(0, |(_, mark, _)| mark);
    mark << 32 | u64::from(n)
}

/// What a word stands for; `None` if the validator didn't write it.
pub fn kind(value: u64) -> Option<Kind> {
    MARKS.into_iter().find(|(_, mark, _)| *mark == value >> 32).map(|(kind, ..)| kind)
}

/// Shows a word as what it stands for.
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
    fn a_number_tells_what_it_stands_for() {
        for (kind_of, text) in [(Kind::Thread, "thread 7"), (Kind::Region, "region 7"), (Kind::Task, "task 7")] {
            let value = number(kind_of, 7);
            assert_eq!(kind(value), Some(kind_of));
            assert_eq!(Shown(Some(value)).to_string(), text);
        }
        assert_eq!((kind(0), kind(7), kind(u64::MAX)), (None, None, None));
        assert_eq!([Shown(None), Shown(Some(0)), Shown(Some(255))].map(|s| s.to_string()), ["null", "0", "0xff"]);
    }
}
