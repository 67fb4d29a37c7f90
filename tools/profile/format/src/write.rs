//! From a record to words. Async-signal-safe: nothing is allocated and nothing panics.

use crate::record::{Frames, Object, Record, Sample};
use crate::{MAGIC, WORDS};

pub(crate) mod kind {
    pub(crate) const BEGIN: u64 = 1;
    pub(crate) const INFO: u64 = 2;
    pub(crate) const OBJECT: u64 = 3;
    pub(crate) const THREAD: u64 = 4;
    pub(crate) const STACK: u64 = 5;
    pub(crate) const REGION: u64 = 6;
    pub(crate) const SAMPLE: u64 = 7;
    pub(crate) const THREAD_END: u64 = 8;
    pub(crate) const END: u64 = 9;
    pub(crate) const THREAD_READY: u64 = 10;
    pub(crate) const THREAD_LATE: u64 = 11;
}

/// A record, ready to be written.
#[derive(Clone, Copy, Debug)]
pub struct Writable<'a> {
    record: Record<'a>,
    words: usize,
}

impl<'a> Writable<'a> {
    /// `None` for a record that is too long.
    pub fn new(record: Record<'a>) -> Option<Self> {
        let mut words = 1;
        body(&record, &mut |_| words += 1);
        (words <= WORDS).then_some(Self { record, words })
    }

    /// Length in words, with the head.
    pub fn words(&self) -> usize {
        self.words
    }

    /// First word of the record, to be written when all others are in place.
    pub fn head(&self) -> u64 {
        (self.words as u64) << 32 | number(&self.record)
    }

    /// Writes the other words of the record, in order.
    pub fn body(&self, write: &mut dyn FnMut(u64)) {
        body(&self.record, write);
    }
}

fn number(record: &Record) -> u64 {
    match record {
        Record::Begin { .. } => kind::BEGIN,
        Record::Info { .. } => kind::INFO,
        Record::Object(_) => kind::OBJECT,
        Record::Thread { .. } => kind::THREAD,
        Record::Stack { .. } => kind::STACK,
        Record::Region { .. } => kind::REGION,
        Record::Sample(_) => kind::SAMPLE,
        Record::ThreadEnd { .. } => kind::THREAD_END,
        Record::ThreadReady { .. } => kind::THREAD_READY,
        Record::ThreadLate { .. } => kind::THREAD_LATE,
        Record::End { .. } => kind::END,
    }
}

fn body(record: &Record, write: &mut dyn FnMut(u64)) {
    match record {
        Record::Begin { version } => [MAGIC, *version].into_iter().for_each(write),
        Record::Info { key, value } => text(key, value, write),
        Record::Object(Object { start, end, bias, since_ns, build_id, path }) => {
            [*start, *end, *bias, *since_ns].into_iter().for_each(&mut *write);
            text(build_id, path, write);
        }
        Record::Thread { thread, tid, begun_ns, routine } => {
            [pair(*thread, *tid), *begun_ns, *routine].into_iter().for_each(write);
        }
        Record::Stack { id, cut, frames } => {
            write(pair(*id, *cut as u32));
            match frames {
                Frames::Words(words) => words.iter().copied().for_each(write),
                Frames::Bytes(_) => frames.iter().for_each(write),
            }
        }
        Record::Region { id, parent, stack, thread } => {
            [*id, *parent, pair(*stack, *thread)].into_iter().for_each(write);
        }
        Record::Sample(Sample { thread, moment, state, stack, at_ns, wall_ns, cpu_ns, wait, region }) => {
            let who = [pair(*thread, *state), pair(*stack, *moment as u32)];
            who.into_iter().chain([*at_ns, *wall_ns, *cpu_ns, *wait, *region]).for_each(write);
        }
        Record::ThreadEnd { thread, ended_ns, wall_ns, cpu_ns, asked, delivered, lost } => {
            let words = [pair(*thread, 0), *ended_ns, *wall_ns, *cpu_ns, *asked, *delivered, *lost];
            words.into_iter().for_each(write);
        }
        Record::ThreadReady { thread, ready_ns } => [pair(*thread, 0), *ready_ns].into_iter().for_each(write),
        Record::ThreadLate { thread, in_kernel_ns, blocked_ns } => {
            [pair(*thread, 0), *in_kernel_ns, *blocked_ns].into_iter().for_each(write);
        }
        Record::End { ended_ns } => write(*ended_ns),
    }
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Two texts: their lengths, then their bytes, padded with zeros.
#[allow(clippy::cast_possible_truncation)] // what is longer than a record isn't written
fn text(first: &[u8], second: &[u8], write: &mut dyn FnMut(u64)) {
    write(pair(first.len() as u32, second.len() as u32));
    let (mut word, mut filled) = ([0; 8], 0);
    for byte in first.iter().chain(second) {
        if let Some(place) = word.get_mut(filled) {
            *place = *byte;
        }
        filled += 1;
        if filled == 8 {
            write(u64::from_ne_bytes(word));
            (word, filled) = ([0; 8], 0);
        }
    }
    if filled > 0 {
        write(u64::from_ne_bytes(word));
    }
}
