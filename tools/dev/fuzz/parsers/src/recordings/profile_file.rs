//! Record files of `ora profile`, damaged.

use profile_format::WORDS;

use super::damage::{self, Record};
use super::random::Random;

/// Names that do harm if they are written unescaped.
pub const HOSTILE_NAMES: [&[u8]; 12] = [
    b"\x1b]0;title\x07\x1b[2J",
    b"line\nbreak\r\ttab",
    b"\"quotes\" 'of' `both`",
    b"</script></title><!--&amp;]]>",
    b"nul\0inside",
    "\u{9b}2J\u{85}c1\u{7f}".as_bytes(),
    "\u{202e}reversed\u{2066}\u{200b}".as_bytes(),
    "\u{fffe}\u{ffff}\u{10ffff}".as_bytes(),
    b"\xff\xfe\xc0\x80\xed\xa0\x80",
    b"{1,2,3}:4;5 6%7$8\\n",
    b"",
    b" ",
];

/// Damages a file of records.
pub(super) fn damaged(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut records = split(file);
    if random.below(4) == 0 {
        name(&mut records, random);
    }
    damage::damage(&mut records, random);
    damage::bytes(&records, random)
}

/// Kinds of records with text.
const INFO: u64 = 2;
const OBJECT: u64 = 3;

/// Splits a file into its records; a word that starts no record becomes a record by itself.
fn split(file: &[u8]) -> Vec<Record> {
    let words: Vec<u64> = file.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    let (mut records, mut at) = (Vec::new(), 0);
    while let Some(head) = words.get(at) {
        let length = usize::try_from(head >> 32).unwrap_or(0);
        let record = words.get(at..at + if (1..=WORDS).contains(&length) { length } else { 1 });
        let record = record.unwrap_or(&words[at..=at]).to_vec();
        at += record.len();
        // Skips the unused space after the last record.
        if record != [0] {
            records.push(record);
        }
    }
    records
}

/// Returns a file with this name in all texts.
pub(super) fn named(file: &[u8], name: &[u8]) -> Vec<u8> {
    let mut records = split(file);
    records.iter_mut().for_each(|record| rename(record, name));
    records.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Replaces the text of some records by a hostile name.
fn name(records: &mut [Record], random: &mut Random) {
    let name = HOSTILE_NAMES[random.below(HOSTILE_NAMES.len())];
    let long = name.repeat(1 + random.below(2) * random.below(200));
    for record in records.iter_mut().filter(|_| random.below(3) == 0) {
        rename(record, &long);
    }
}

/// Replaces the second text of a record (the value of a fact, the path of an object).
fn rename(record: &mut Record, name: &[u8]) {
    let texts = match record[0] & 0xffff_ffff {
        INFO => 1,
        OBJECT => 5,
        _ => return,
    };
    let Some(lengths) = record.get(texts).copied() else { return };
    let bytes: Vec<u8> = record[texts + 1..].iter().flat_map(|word| word.to_ne_bytes()).collect();
    let key = bytes.get(..usize::try_from(lengths & 0xffff_ffff).unwrap_or(0)).unwrap_or_default();
    let name = &name[..name.len().min(8 * (WORDS - 16) - key.len().min(8 * (WORDS - 16)))];
    let mut text = [key, name].concat();
    let lengths = (name.len() as u64) << 32 | key.len() as u64;
    text.resize(text.len().next_multiple_of(8), 0);
    record.truncate(texts);
    record.push(lengths);
    record.extend(text.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)));
    record[0] = record[0] & 0xffff_ffff | (record.len() as u64) << 32;
}
