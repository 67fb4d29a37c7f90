//! Checks of the trace reader (`trace_format::Trace`) and of the timeline built from it: a plain walk of the chunks, events that are read
//! back as written, and slices that nest.

use crate::input::Input;
use trace_format::{
    CHUNK_WORDS, ChunkHeader, ChunkStream, Event, GRAIN, HEADER_WORDS, Kind, MAGIC, MAX_CHUNK_BYTES, MAX_EVENTS,
    Packer, Trace, VERSION, place,
};

pub(crate) fn check(file: &[u8]) {
    match file.split_first() {
        Some((0, bytes)) => any_bytes(bytes),
        Some((_, plan)) => written_is_read(Input(plan)),
        None => {}
    }
}

/// Checks bytes after a valid header, and the bytes alone.
fn any_bytes(bytes: &[u8]) {
    let begun = [&header()[..], bytes].concat();
    for bytes in [bytes, &begun] {
        let Ok(trace) = Trace::new(bytes) else { continue };
        let read: Vec<_> = trace.chunks().map(|chunk| (chunk.offset, chunk.events().count())).collect();
        assert_eq!(streamed(bytes), read);
        // The bytes alone may be a packed file.
        if !trace.header.is_packed {
            assert_eq!(read, plain(bytes));
            packed_is_the_same(bytes);
        }
        timeline_holds(bytes);
    }
    packed_bytes(bytes);
}

/// Checks bytes after the header of a packed file: the size of an unpacked chunk is limited.
fn packed_bytes(bytes: &[u8]) {
    let bytes = [&Packer::file_header(&header().try_into().unwrap())[..], bytes].concat();
    let mut read = Vec::new();
    for chunk in Trace::new(&bytes).unwrap().chunks() {
        let events = chunk.events().count();
        read.push((chunk.offset, events));
        assert!(chunk.offset.is_multiple_of(8) && chunk.offset + chunk.header.bytes as usize <= bytes.len());
        assert!(events <= chunk.count() && chunk.count() <= MAX_EVENTS.min(16 * chunk.header.bytes as usize));
    }
    assert_eq!(streamed(&bytes), read);
    timeline_holds(&bytes);
}

/// Offset of each chunk, and the number of its events of a known kind, read piece by piece.
fn streamed(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut stream = ChunkStream::new(bytes).unwrap();
    let mut chunks = Vec::new();
    while let Some(chunk) = stream.next_chunk().unwrap() {
        chunks.push((chunk.offset, chunk.events().count()));
    }
    assert_eq!(stream.bytes, bytes.len() as u64);
    chunks
}

/// Checks that a packed file contains the events of the file that it was packed from.
fn packed_is_the_same(bytes: &[u8]) {
    let (mut packer, trace) = (Packer::default(), Trace::new(bytes).unwrap());
    let mut header: Vec<u8> = bytes.iter().copied().take(GRAIN).collect();
    header.resize(GRAIN, 0);
    let mut packed = Packer::file_header(&header.try_into().unwrap()).to_vec();
    for chunk in trace.chunks() {
        let Some(chunk) = packer.pack(&chunk) else { return };
        packed.extend(chunk);
    }
    let packed = Trace::new(&packed).unwrap();
    assert!(packed.header.is_packed && packed.chunks().count() == trace.chunks().count());
    for (packed, chunk) in packed.chunks().zip(trace.chunks()) {
        assert_eq!(ChunkHeader { bytes: chunk.header.bytes, ..packed.header }, chunk.header);
        assert_eq!(packed.count(), chunk.count());
        assert!(packed.events().eq(chunk.events()));
    }
}

/// Offset of each chunk, and the number of its events of a known kind.
fn plain(bytes: &[u8]) -> Vec<(usize, usize)> {
    let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    let (grain, mut at, mut chunks) = (GRAIN / 8, GRAIN / 8, Vec::new());
    while at < words.len() {
        let Some([first, lengths]) = words.get(at..at + CHUNK_WORDS).map(|header| [header[0], header[1]]) else {
            break;
        };
        let length = usize::try_from(lengths & 0xffff_ffff).unwrap();
        let is_one =
            first == trace_format::CHUNK_MAGIC && length % GRAIN == 0 && (1..=MAX_CHUNK_BYTES).contains(&length);
        if !is_one {
            at += grain;
            continue;
        }
        let end = (at + length / 8).min(words.len());
        let events = words[at + CHUNK_WORDS..end].chunks_exact(2).take_while(|event| event[0] != 0);
        let known = events.filter(|event| (1..=26).contains(&(event[0] & 0xff))).count();
        chunks.push((at * 8, known));
        at += length / 8;
    }
    chunks
}

/// Checks that chunks of events, chosen by the bytes, are read back as written.
fn written_is_read(mut plan: Input<'_>) {
    let mut file = header();
    let mut written = Vec::new();
    while !plan.is_empty() && written.len() < 16 {
        let begin = plan.number();
        let (lane, number, count) = (u32::from(plan.byte() % 4), u64::from(plan.byte()), plan.byte());
        let (regions, tasks) = (plan.number(), plan.number());
        let bytes = 2 * u32::try_from(GRAIN).unwrap();
        let begin_ns = plan.number();
        let (tid, thread_kind) = if number % 2 == 1 { (9, 2) } else { (0, 0) };
        let header = ChunkHeader { bytes, lane, number, begin, begin_ns, regions, tasks, tid, thread_kind };
        let offset = file.len();
        file.extend(header.words().iter().flat_map(|word| word.to_ne_bytes()));
        let mut events = Vec::new();
        for _ in 0..count {
            let kind = Kind::ALL[usize::from(plan.byte()) % Kind::ALL.len()];
            let (operand, since, word) = (u16::from(plan.byte()), plan.number() >> 20, plan.number());
            file.extend([Event::head(kind, operand, since), word].iter().flat_map(|word| word.to_ne_bytes()));
            events.push(Event { tick: begin.wrapping_add(since), kind, operand, word });
        }
        file.resize(offset + bytes as usize, 0);
        written.push((header, events));
    }
    let trace = Trace::new(&file).unwrap();
    let read: Vec<_> = trace.chunks().map(|chunk| (chunk.header, chunk.events().collect::<Vec<_>>())).collect();
    assert_eq!(read, written);
    packed_is_the_same(&file);
    timeline_holds(&file);
}

fn header() -> Vec<u8> {
    let mut words = vec![0; HEADER_WORDS];
    for (at, word) in [(place::MAGIC, MAGIC), (place::VERSION, VERSION), (place::CLOCK, 1)] {
        words[at] = word;
    }
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Checks that slices nest, and that every output can be written.
fn timeline_holds(bytes: &[u8]) {
    let timeline = trace_analysis::of_events(bytes).unwrap();
    for thread in &timeline.threads {
        let mut open: Vec<(u64, u64)> = Vec::new();
        for slice in &thread.slices {
            assert!(slice.begin_ns <= slice.end_ns, "{slice:?}");
            assert!(thread.begin_ns <= slice.begin_ns && slice.end_ns <= thread.end_ns, "{slice:?} {}", thread.end_ns);
            if slice.is_apart {
                continue;
            }
            // A slice of zero length may start where others end.
            open.retain(|(_, end)| *end > slice.begin_ns || *end >= slice.end_ns);
            for (begin, end) in &open {
                assert!(*begin <= slice.begin_ns && slice.end_ns <= *end, "{slice:?} in {begin} to {end}");
            }
            open.push((slice.begin_ns, slice.end_ns));
        }
    }
    let timelines = [timeline];
    trace_analysis::perfetto::write(&mut Vec::new(), &timelines, None).unwrap();
    let page = trace_analysis::html::document(&timelines, None, &mut symbols::source::Sources::default());
    page::write(&mut Vec::new(), &page).unwrap();
    let [timeline] = &timelines;
    trace_analysis::text::page(timeline, 5).render(terminal::page::Paper::default());
    trace_analysis::json::document(&timelines, None, 5).unwrap();
}
