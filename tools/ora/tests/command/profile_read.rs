//! Reader of the recordings of `ora profile`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

use profile_format::{Cut, FILE, Moment, Reader, Record, Sample};

/// A process.
#[derive(Default)]
pub(crate) struct Seen {
    infos: BTreeMap<String, String>,
    all: Vec<Sample>,
    pub(crate) stacks: BTreeMap<u32, (Cut, Vec<u64>)>,
    pub(crate) regions: BTreeMap<u64, Region>,
    /// Start times, by thread.
    pub(crate) threads: BTreeMap<u32, u64>,
    pub(crate) ends: Vec<End>,
    pub(crate) objects: Vec<(Range<u64>, String)>,
    /// True if it reached its exit handlers.
    pub(crate) over: bool,
    pub(crate) bytes: usize,
}

/// A region.
pub(crate) struct Region {
    pub(crate) id: u64,
    pub(crate) parent: u64,
    pub(crate) stack: u32,
}

/// The end of a thread.
pub(crate) struct End {
    pub(crate) thread: u32,
    pub(crate) ended_ns: u64,
    pub(crate) wall_ns: u64,
    pub(crate) cpu_ns: u64,
    pub(crate) asked: u64,
    pub(crate) delivered: u64,
    pub(crate) lost: u64,
}

impl Seen {
    pub(crate) fn info(&self, key: &str) -> String {
        self.infos[key].clone()
    }

    pub(crate) fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.all.iter()
    }

    /// True if every sample has its stack. Waits that last until the end of the process have none.
    pub(crate) fn has_all_stacks(&self) -> bool {
        let none = |sample: &Sample| sample.stack == 0 && sample.moment == Moment::WaitEnd;
        self.all.iter().all(|sample| self.stacks.contains_key(&sample.stack) || none(sample))
    }

    /// Number of samples for which there was no space.
    pub(crate) fn lost(&self) -> u64 {
        self.ends.iter().map(|end| end.lost).sum()
    }

    /// Address at which a sample's thread was interrupted.
    pub(crate) fn leaf(&self, sample: &Sample) -> u64 {
        self.stacks.get(&sample.stack).and_then(|(_, frames)| frames.first().copied()).unwrap_or(0)
    }
}

/// Processes of a profile, in the order of their folders' names, shorter names first.
pub(crate) fn seen(folder: &Path) -> Vec<Seen> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<_> = entries.filter(|path| path.join(FILE).is_file()).collect();
    folders.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    folders.iter().map(|path| read(&path.join(FILE))).filter(|seen| seen.bytes > 0).collect()
}

fn read(path: &Path) -> Seen {
    let bytes = fs::read(path).unwrap();
    let mut seen = Seen { bytes: bytes.len(), ..Seen::default() };
    if bytes.is_empty() {
        return seen;
    }
    let mut numbers = BTreeSet::new();
    let mut reader = Reader::new(&bytes).unwrap();
    let string = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    for record in reader.by_ref() {
        match record {
            Record::Begin { .. } => panic!("begins twice"),
            Record::Info { key, value } => drop(seen.infos.insert(string(key), string(value))),
            Record::Object(object) => seen.objects.push((object.start..object.end, string(object.path))),
            Record::Thread { thread, begun_ns, .. } => assert!(seen.threads.insert(thread, begun_ns).is_none()),
            Record::Stack { id, cut, frames } => {
                assert!(numbers.insert(id));
                seen.stacks.insert(id, (cut, frames.iter().collect()));
            }
            Record::Region { id, parent, stack, .. } => drop(seen.regions.insert(id, Region { id, parent, stack })),
            Record::Sample(sample) => seen.all.push(sample),
            Record::ThreadEnd { thread, ended_ns, wall_ns, cpu_ns, asked, delivered, lost } => {
                seen.ends.push(End { thread, ended_ns, wall_ns, cpu_ns, asked, delivered, lost });
            }
            Record::ThreadReady { .. } | Record::ThreadLate { .. } => {}
            Record::End { .. } => seen.over = true,
        }
    }
    assert_eq!(reader.damaged(), 0);
    seen
}
