//! Mappings with code that the program has made while it ran, and that no file has. Reports name its functions by them.
//! Async-signal-safe: stores, and records.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use profile_format::{Object, Record};
use system::maps::Mapping;

use crate::file::FILE;

/// Maximum number of mappings with names of their own. Code in others has a common name.
const CAPACITY: usize = 256;

#[derive(Debug)]
struct Known {
    /// Address behind the last byte; 0: a free place.
    end: AtomicU64,
    start: AtomicU64,
    since_ns: AtomicU64,
}

static ALL: [Known; CAPACITY] =
    [const { Known { end: AtomicU64::new(0), start: AtomicU64::new(0), since_ns: AtomicU64::new(0) } }; CAPACITY];

/// Writes a mapping, unless it is known. By one thread at a time.
pub(crate) fn note(mapping: &Mapping<'_>, now_ns: u64) {
    let is_its = |known: &&Known| {
        let end = known.end.load(Relaxed);
        end == 0 || (known.start.load(Relaxed), end) == (mapping.start, mapping.end)
    };
    let Some(place) = ALL.iter().find(is_its).filter(|place| place.end.load(Relaxed) == 0) else { return };
    place.start.store(mapping.start, Relaxed);
    place.since_ns.store(now_ns, Relaxed);
    place.end.store(mapping.end, Relaxed);
    place.write();
}

/// Writes all known mappings into a file that has just begun.
pub(crate) fn write_all() {
    ALL.iter().take_while(|known| known.end.load(Relaxed) != 0).for_each(Known::write);
}

impl Known {
    fn write(&self) {
        let [start, end, since_ns] = [&self.start, &self.end, &self.since_ns].map(|word| word.load(Relaxed));
        FILE.write(Record::Object(Object { start, end, bias: start, since_ns, build_id: &[], path: &[] }));
    }
}
