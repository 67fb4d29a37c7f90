//! An event: two words.

use crate::kind::Kind;

/// Maximum operand: larger numbers are recorded as this.
pub const MAX_OPERAND: u16 = (1 << 12) - 1;
/// Maximum distance of an event from its chunk's start, in ticks.
pub const LONGEST: u64 = (1 << 44) - 1;

/// An event of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Time by the file's clock, in ticks.
    pub tick: u64,
    /// Kind of the event.
    pub kind: Kind,
    /// A small number, at most [`MAX_OPERAND`].
    pub operand: u16,
    /// An address, an id or a number.
    pub word: u64,
}

impl Event {
    /// First word of an event: from the lowest bit, kind (8 bits), operand (12) and ticks since the chunk's start
    /// (44). It is never 0. Async-signal-safe.
    #[inline(always)]
    pub fn head(kind: Kind, operand: u16, since: u64) -> u64 {
        kind as u64 | (operand.min(MAX_OPERAND) as u64) << 8 | since << 20
    }

    /// Ticks since the chunk's start, from an event's first word. Async-signal-safe.
    #[inline(always)]
    pub fn since(head: u64) -> u64 {
        head >> 20
    }

    /// The event of two words; `None` for a kind unknown to this version.
    #[allow(clippy::cast_possible_truncation)] // parts of a word
    pub fn of(begin: u64, head: u64, word: u64) -> Option<Self> {
        let operand = (head >> 8) as u16 & MAX_OPERAND;
        Some(Self { tick: begin.wrapping_add(head >> 20), kind: Kind::of(head as u8)?, operand, word })
    }
}

/// Id of the `count`th region or task, from 1, that a lane starts. Ids of regions and of tasks are separate.
#[inline(always)]
pub fn id(lane: u32, count: u64) -> u64 {
    u64::from(lane) << 44 | count & LONGEST
}

/// The lane that has started the region or task with an id.
#[allow(clippy::cast_possible_truncation)] // 20 bits
pub fn lane_of(id: u64) -> u32 {
    (id >> 44) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_as_it_was_written() {
        for kind in Kind::ALL {
            for (operand, since) in [(0, 0), (1, 7), (MAX_OPERAND, LONGEST)] {
                let head = Event::head(*kind, operand, since);
                assert_ne!(head, 0);
                let event = Event::of(100, head, 9).unwrap();
                assert_eq!(event, Event { tick: 100 + since, kind: *kind, operand, word: 9 });
            }
        }
        assert_eq!(Event::of(0, Event::head(Kind::ThreadBegin, u16::MAX, 0), 0).unwrap().operand, MAX_OPERAND);
        assert_eq!(Event::of(0, 0, 1), None);
        assert_eq!(Event::of(0, 255, 1), None);
    }

    #[test]
    fn ids_name_their_lane() {
        assert_eq!((lane_of(id(7, 1)), lane_of(id(0, LONGEST))), (7, 0));
        assert_ne!(id(0, 1), 0);
    }
}
