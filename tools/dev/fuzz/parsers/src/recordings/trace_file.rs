//! Event files of `ora trace`, damaged.

use trace_format::{Event, GRAIN, HEADER_WORDS, Packer, Trace, place};

use super::damage::{self, Record};
use super::random::Random;

/// Chunk: its header, and its events.
struct Parts {
    header: Record,
    events: Vec<Record>,
}

/// Damages a file of events, which may be packed. The result is sometimes packed.
pub(super) fn damaged(file: &[u8], random: &mut Random) -> Vec<u8> {
    let Ok(trace) = Trace::new(file) else { return file.to_vec() };
    let mut header: Record = file[..GRAIN].as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    header[place::VERSION] = trace_format::VERSION;
    let mut chunks: Vec<_> = trace.chunks().map(|chunk| parts(&chunk)).collect();
    if random.below(3) == 0 {
        let at = [random.below(20), random.below(HEADER_WORDS)][random.below(2)];
        header[at] = random.word(header[at]);
    }
    if random.below(3) == 0 {
        let mut headers: Vec<_> = chunks.iter().map(|chunk| chunk.header.clone()).collect();
        damage::damage(&mut headers, random);
        let events: Vec<_> = chunks.iter().map(|chunk| chunk.events.clone()).collect();
        let either = |(at, header): (usize, Record)| Parts { header, events: events[at % events.len()].clone() };
        chunks = headers.into_iter().take(200).enumerate().map(either).collect();
    }
    for _ in 0..random.below(3) {
        if !chunks.is_empty() {
            let at = random.below(chunks.len());
            damage::damage(&mut chunks[at].events, random);
        }
    }
    let mut records = vec![header];
    let fits = random.below(8) > 0;
    records.extend(chunks.iter().map(|chunk| words(chunk, fits)));
    if random.below(4) == 0 {
        let packed = packed(&damage::bytes(&records, &mut Random::new(1)));
        return cut(packed, random);
    }
    damage::bytes(&records, random)
}

fn parts(chunk: &trace_format::Chunk<'_>) -> Parts {
    let begin = chunk.header.begin;
    let event = |event: Event| vec![Event::head(event.kind, event.operand, event.tick.wrapping_sub(begin)), event.word];
    Parts { header: chunk.header.words().to_vec(), events: chunk.events().map(event).collect() }
}

/// Words of a chunk. If `fits`, the length is that of its events, no matter what its header says.
fn words(chunk: &Parts, fits: bool) -> Record {
    let mut words = [&chunk.header[..], &chunk.events.concat()].concat();
    words.resize(words.len().next_multiple_of(GRAIN / 8), 0);
    let bytes = words.len() as u64 * 8;
    if fits && let Some(lengths) = words.get_mut(1) {
        *lengths = *lengths & !0xffff_ffff | bytes;
    }
    words
}

/// Packs the same file, as far as that is possible.
fn packed(file: &[u8]) -> Vec<u8> {
    let Ok(trace) = Trace::new(file) else { return file.to_vec() };
    let Some(header) = file.first_chunk() else { return file.to_vec() };
    let (mut packer, mut packed) = (Packer::default(), Packer::file_header(header).to_vec());
    for chunk in trace.chunks() {
        packed.extend(packer.pack(&chunk).unwrap_or_default());
    }
    packed
}

/// Changes words of the packed chunks.
fn cut(mut packed: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..random.below(4) {
        let at = random.below(packed.len()) / 8 * 8;
        if let Some(word) = packed.get_mut(at..at + 8) {
            let old = u64::from_ne_bytes(word.try_into().unwrap());
            word.copy_from_slice(&random.word(old).to_ne_bytes());
        }
    }
    packed
}
