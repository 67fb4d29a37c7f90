//! Structured damage of a list of records: numbers, repetitions, order, lengths.

use super::random::Random;

/// Record: whole words, the first of which contains its kind and length.
pub(super) type Record = Vec<u64>;

/// Maximum number of words of a damaged file: repetition stops there.
const LARGEST: usize = 1 << 16;

/// Damages some of the records.
pub(super) fn damage(records: &mut Vec<Record>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        if records.is_empty() {
            return;
        }
        match random.below(12) {
            0..4 => numbers(records, random),
            4 => equal_numbers(records, random),
            5 => ring(records, random),
            6 => repeat(records, random, 0),
            7 => {
                let step = random.word(1);
                repeat(records, random, step);
            }
            8 => drop(records.remove(random.below(records.len()))),
            9 => {
                let (one, other) = (random.below(records.len()), random.below(records.len()));
                records.swap(one, other);
            }
            10 => records.reverse(),
            _ => length(records, random),
        }
    }
}

/// Bytes of the records, sometimes cut off at an arbitrary point.
pub(super) fn bytes(records: &[Record], random: &mut Random) -> Vec<u8> {
    let mut bytes: Vec<u8> = records.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect();
    if random.below(8) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
    bytes
}

fn any<'r>(records: &'r mut [Record], random: &mut Random) -> &'r mut Record {
    let at = random.below(records.len());
    &mut records[at]
}

/// Index of a word that follows the first one of a record.
fn place(record: &Record, random: &mut Random) -> usize {
    if record.len() < 2 { 0 } else { 1 + random.below(record.len() - 1) }
}

/// Changes a number in some records.
fn numbers(records: &mut [Record], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let record = any(records, random);
        let at = place(record, random);
        record[at] = random.word(record[at]);
    }
}

/// True if a record has the kind and the length of another one.
fn is_like(record: &Record, other: &Record) -> bool {
    record[0] == other[0] && record.len() == other.len()
}

/// Writes the same number at the same place of all records of a kind.
fn equal_numbers(records: &mut [Record], random: &mut Random) {
    let like = any(records, random).clone();
    let at = place(&like, random);
    let word = random.word(like[at]);
    for record in records.iter_mut().filter(|record| is_like(record, &like)) {
        record[at] = word;
    }
}

/// Makes records of a kind name each other in a ring.
fn ring(records: &mut [Record], random: &mut Random) {
    let like = any(records, random).clone();
    let (own, other) = (place(&like, random), place(&like, random));
    let mut ring: Vec<_> = records.iter_mut().filter(|record| is_like(record, &like)).collect();
    let first = ring[0][own];
    for at in 0..ring.len() {
        let next = ring.get(at + 1).map_or(first, |next| next[own]);
        ring[at][other] = next;
    }
}

/// Repeats a record, or a series of records, many times, with a number that increases.
fn repeat(records: &mut Vec<Record>, random: &mut Random, step: u64) {
    let first = random.below(records.len());
    let series = records[first..records.len().min(first + 1 + random.below(3))].to_vec();
    let words: usize = series.iter().map(Vec::len).sum();
    let room = LARGEST.saturating_sub(records.iter().map(Vec::len).sum()) / words.max(1);
    let most = 1 << random.below(14);
    let times = random.below(room.min(most));
    let places: Vec<_> = series.iter().map(|record| (place(record, random), place(record, random))).collect();
    let both = random.below(2) == 0;
    let mut sum = 0_u64;
    let mut copies = Vec::with_capacity(times * series.len());
    for _ in 0..times {
        sum = sum.wrapping_add(step);
        for (record, (one, other)) in series.iter().zip(&places) {
            let mut copy = record.clone();
            copy[*one] = copy[*one].wrapping_add(sum);
            if both {
                copy[*other] = copy[*other].wrapping_add(sum);
            }
            copies.push(copy);
        }
    }
    records.splice(first..first, copies);
}

/// Changes the kind or length in a record's first word, or makes a record shorter or longer than the word says.
fn length(records: &mut [Record], random: &mut Random) {
    let record = any(records, random);
    match random.below(3) {
        0 => record[0] = random.word(record[0]),
        1 => record.truncate(1 + random.below(record.len())),
        _ => {
            let word = random.word(0);
            record.push(word);
        }
    }
}
