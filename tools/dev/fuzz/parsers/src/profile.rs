//! Checks of the profile reader (`profile_format::Reader`) against a plain count of words, and with written files.

use crate::input::Input;
use profile_format::{Cut, Frames, MAGIC, Moment, Object, Reader, Record, Sample, VERSION, WORDS, Writable};

pub(crate) fn check(file: &[u8]) {
    match file.split_first() {
        Some((0, bytes)) => any_bytes(bytes),
        Some((_, plan)) => written_is_read(Input(plan)),
        None => {}
    }
}

fn any_bytes(bytes: &[u8]) {
    let begun = [&write(&Record::Begin { version: VERSION })[..], bytes].concat();
    for bytes in [bytes, &begun] {
        let (count, damaged) = plain(bytes);
        let Ok(mut reader) = Reader::new(bytes) else { continue };
        let records: Vec<_> = reader.by_ref().collect();
        assert_eq!((records.len() + 1, reader.damaged()), (count, damaged));
        for record in records {
            let again = [write(&Record::Begin { version: VERSION }), write(&record)].concat();
            assert_eq!(Reader::new(&again).unwrap().collect::<Vec<_>>(), [record], "a record that was read");
        }
    }
}

/// Counts the records, and the words that are neither zero nor part of a record.
fn plain(bytes: &[u8]) -> (usize, usize) {
    let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    let (mut at, mut records, mut damaged) = (0, 0, 0);
    while at < words.len() {
        let length = usize::try_from(words[at] >> 32).unwrap();
        let whole = words.get(at..at + length).filter(|record| is_record(record));
        match whole {
            Some(_) => (at, records) = (at + length, records + 1),
            None => (at, damaged) = (at + 1, damaged + usize::from(words[at] != 0)),
        }
    }
    (records, damaged)
}

/// True for a record of valid length: the layouts of versions 2 and 3.
fn is_record(words: &[u64]) -> bool {
    let Some(head) = words.first().filter(|_| words.len() <= WORDS) else { return false };
    let texts = |at: usize| {
        let Some(lengths) = words.get(at) else { return false };
        let bytes = (lengths & 0xffff_ffff) + (lengths >> 32);
        words.len() as u64 == at as u64 + 1 + bytes.div_ceil(8)
    };
    match (head & 0xffff_ffff, words.len()) {
        (1, 3) => words[1] == MAGIC,
        (2, _) => texts(1),
        (3, _) => texts(5),
        (5, 2..) => words[1] >> 48 == 0,
        (4, 3 | 4) | (10, 3) | (6 | 11, 4) | (7 | 8, 8) | (9, 2) => true,
        _ => false,
    }
}

/// Checks that records and holes, chosen by the bytes, are read back as written.
fn written_is_read(mut plan: Input<'_>) {
    let frames: Vec<u64> = (0..plan.byte()).map(|_| plan.number()).collect();
    let mut file = write(&Record::Begin { version: VERSION });
    let mut records: Vec<Record<'_>> = Vec::new();
    while !plan.is_empty() {
        let kind = plan.byte() % 11;
        let small = [0; 6].map(|_| plan.number());
        #[allow(clippy::cast_possible_truncation)] // any number will do
        let [thread, second, stack] = [0, 1, 2].map(|at| small[at] as u32);
        let [at_ns, wall_ns, cpu_ns] = [small[3], small[4], small[5]];
        let cuts = [Cut::Whole, Cut::Deep, Cut::UnknownCode, Cut::NoRule, Cut::Unreadable];
        let record = match kind {
            0 => Record::Begin { version: VERSION },
            1 => Record::Info { key: plan.piece(), value: plan.piece() },
            2 => {
                let (build_id, path) = (plan.piece(), plan.piece());
                Record::Object(Object { start: at_ns, end: wall_ns, bias: cpu_ns, since_ns: small[0], build_id, path })
            }
            3 => Record::Thread { thread, tid: second, begun_ns: at_ns, routine: wall_ns },
            4 => Record::Stack { id: thread, cut: cuts[second as usize % 5], frames: Frames::Words(&frames) },
            5 => Record::Region { id: at_ns, parent: wall_ns, stack, thread },
            6 => {
                let moment = if second % 2 == 0 { Moment::Tick } else { Moment::WaitEnd };
                let (wait, region) = (small[0], small[1]);
                Record::Sample(Sample { thread, moment, state: second, stack, at_ns, wall_ns, cpu_ns, wait, region })
            }
            7 => Record::ThreadEnd { thread, ended_ns: at_ns, wall_ns, cpu_ns, asked: 1, delivered: 2, lost: small[1] },
            8 => Record::ThreadReady { thread, ready_ns: at_ns },
            9 => Record::End { ended_ns: at_ns },
            _ => {
                file.resize(file.len() + 8 * thread as usize % 512, 0);
                continue;
            }
        };
        file.extend(write(&record));
        records.push(record);
    }
    let mut reader = Reader::new(&file).unwrap();
    assert_eq!(reader.by_ref().collect::<Vec<_>>(), records);
    assert_eq!(reader.damaged(), 0);
    // A truncated file loses its last record and no other.
    let Some(whole) = records.len().checked_sub(1) else { return };
    assert_eq!(Reader::new(&file[..file.len() - 1]).unwrap().take(whole).collect::<Vec<_>>(), records[..whole]);
}

fn write(record: &Record<'_>) -> Vec<u8> {
    let record = Writable::new(*record).unwrap();
    let mut bytes = record.head().to_ne_bytes().to_vec();
    record.body(&mut |word| bytes.extend(word.to_ne_bytes()));
    assert_eq!(bytes.len(), record.words() * 8);
    bytes
}
