//! Events of a packed chunk as four columns, one after the other: kinds, operands, words, times.
//!
//! The values in a column are similar: most numbers are small, and the same ones recur. A kind is a byte. The others are differences of a
//! number to an earlier one, in varints: seven bits per byte, the lowest first, and the highest bit set if another byte follows.
//! - An operand: to the last one of its kind, zigzag.
//! - A word: to the last one of its kind and of the operand's lowest three bits, zigzag.
//! - A time: to that of the previous event, modulo 2^44.
//!
//! The first ones are differences to 0.

use crate::event::{LONGEST, MAX_OPERAND};

/// Minimum number of bytes of an event in the columns.
pub(crate) const MIN_EVENT_BYTES: usize = 4;
/// Maximum number of bytes of an event in the columns: kind 1, operand 2, word 10, time 7.
pub(crate) const MAX_EVENT_BYTES: usize = 20;

/// The two words of an event.
pub(crate) type Words = [u64; 2];

/// Appends the columns of some events.
pub(crate) fn write(events: &[Words], out: &mut Vec<u8>) {
    out.extend(events.iter().map(|[head, _]| kind(*head)));
    let mut operands = [0; 256];
    for [head, _] in events {
        if let Some(last) = operands.get_mut(usize::from(kind(*head))) {
            let operand = operand(*head);
            put(out, zigzag(u64::from(operand).wrapping_sub(std::mem::replace(last, operand).into())));
        }
    }
    let mut words = [0; WORDS];
    for [head, word] in events {
        if let Some(last) = words.get_mut(place(*head)) {
            put(out, zigzag(word.wrapping_sub(std::mem::replace(last, *word))));
        }
    }
    let mut last = 0;
    for [head, _] in events {
        let time = head >> TIME;
        put(out, time.wrapping_sub(std::mem::replace(&mut last, time)) & LONGEST);
    }
}

/// The events of some columns, which must not be followed by anything; `None` if they are damaged.
pub(crate) fn read(columns: &[u8], count: usize) -> Option<Vec<Words>> {
    let (kinds, mut rest) = columns.split_at_checked(count)?;
    let mut events: Vec<Words> = kinds.iter().map(|kind| [u64::from(*kind), 0]).collect();
    let mut operands = [0_u64; 256];
    for [head, _] in &mut events {
        let last = operands.get_mut(usize::from(kind(*head)))?;
        *last = last.wrapping_add(unzigzag(take(&mut rest)?)) & u64::from(MAX_OPERAND);
        *head |= *last << OPERAND;
    }
    let mut words = [0_u64; WORDS];
    for [head, word] in &mut events {
        let last = words.get_mut(place(*head))?;
        *last = last.wrapping_add(unzigzag(take(&mut rest)?));
        *word = *last;
    }
    let mut time = 0_u64;
    for [head, _] in &mut events {
        time = time.wrapping_add(take(&mut rest)?) & LONGEST;
        *head |= time << TIME;
        if *head == 0 {
            return None;
        }
    }
    rest.is_empty().then_some(events)
}

/// First bit of the operand, and of the time, in an event's first word.
const OPERAND: u32 = 8;
const TIME: u32 = 20;

#[allow(clippy::cast_possible_truncation)] // a part of a word
fn kind(head: u64) -> u8 {
    head as u8
}

#[allow(clippy::cast_possible_truncation)] // a part of a word
fn operand(head: u64) -> u16 {
    (head >> OPERAND) as u16 & MAX_OPERAND
}

/// Number of slots for words.
const WORDS: usize = 256 * 8;

/// Slot of the word that an event's is compared with.
fn place(head: u64) -> usize {
    usize::from(kind(head)) * 8 + usize::from(operand(head) & 7)
}

/// Converts a small difference of either sign to a small number.
fn zigzag(distance: u64) -> u64 {
    distance << 1 ^ (distance.cast_signed() >> 63).cast_unsigned()
}

fn unzigzag(number: u64) -> u64 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

#[allow(clippy::cast_possible_truncation)] // the lowest bits
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the front; `None` if it is truncated, or too long.
fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            return Some(number);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events with numbers at the ends of their ranges, and times that go back.
    fn extremes() -> Vec<Words> {
        let heads = [1, 255, 0xfff << 8, 1 | LONGEST << 20, u64::MAX, 9 | 7 << 8 | 5 << 20, 9 | 0xffe << 8 | 4 << 20];
        let words = [0, u64::MAX, 1, 1 << 63, (1 << 63) - 1, 42, 41];
        heads.iter().flat_map(|head| words.map(|word| [*head, word])).collect()
    }

    #[test]
    fn columns_are_read_as_they_were_written() {
        for events in [vec![], vec![[1, 0]], extremes()] {
            let mut columns = Vec::new();
            write(&events, &mut columns);
            assert!((MIN_EVENT_BYTES * events.len()..=MAX_EVENT_BYTES * events.len()).contains(&columns.len()));
            assert_eq!(read(&columns, events.len()), Some(events));
        }
    }

    #[test]
    fn cut_and_longer_columns_are_refused() {
        let events = extremes();
        let mut columns = Vec::new();
        write(&events, &mut columns);
        assert!((0..columns.len()).all(|length| read(&columns[..length], events.len()).is_none()));
        columns.push(0);
        assert_eq!(read(&columns, events.len()), None);
        assert_eq!(read(&[0x80; 100], 1), None, "a number without an end");
        assert_eq!(read(&[0; 4], 1), None, "an event whose first word is 0 is none");
    }

    #[test]
    fn an_event_like_the_last_one_takes_four_bytes() {
        let mut columns = Vec::new();
        write(&[[14 | 3 << 8 | 100 << 20, 0x40_1000], [14 | 3 << 8 | 200 << 20, 0x40_1000]], &mut columns);
        assert_eq!(columns, [14, 14, 6, 0, 0x80, 0xc0, 0x80, 4, 0, 100, 100]);
    }
}
