//! Surroundings of a process: the processors that its threads may use, and the environment's settings.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Number of processors that a mask has bits for; a kernel that supports more rejects it.
pub const PROCESSORS: usize = 8192;
/// Number of words of a mask of processors.
pub const WORDS: usize = PROCESSORS / 64;
/// Number of bytes kept of the environment's settings.
pub const SETTINGS: usize = 2048;
/// Prefixes of the settings of OpenMP runtimes.
const PREFIXES: [&[u8]; 3] = [b"OMP_", b"GOMP_", b"KMP_"];

/// The surroundings of one process. Valid when all zero.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Surroundings {
    /// Processors that its threads were allowed to use when their time began, one bit each.
    allowed: [AtomicU64; WORDS],
    /// CPU time of all its threads, when it ran its exit handlers.
    pub cpu_ns: AtomicU64,
    /// The process's CPU clock at that time, which may have begun with an earlier program.
    pub clock_ns: AtomicU64,
    /// Not 0: a thread has entered the settings.
    entered: AtomicU32,
    /// `NAME=value` strings, each terminated by a zero; an empty one is the last.
    settings: [AtomicU8; SETTINGS],
}

impl Surroundings {
    /// Adds the processors of a mask, on which a thread may run.
    pub fn allow(&self, mask: [u64; WORDS]) {
        for (to, word) in self.allowed.iter().zip(mask).filter(|(_, word)| *word != 0) {
            to.fetch_or(word, Relaxed);
        }
    }

    /// True only on the first call: for the thread that is to enter the settings.
    pub fn is_first(&self) -> bool {
        self.entered.swap(1, Relaxed) == 0
    }

    /// Enters the settings among the variables of an environment, which `each_variable` iterates over. For the first
    /// thread only.
    pub fn enter_settings(&self, each_variable: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        let mut to = self.settings.iter();
        // The last byte stays zero, and the one before, so that a setting that is cut off ends.
        let mut left = SETTINGS - 2;
        each_variable(&mut |variable| {
            let ours = PREFIXES.into_iter().any(|prefix| variable.starts_with(prefix));
            if ours && variable.len() < left {
                left -= variable.len() + 1;
                variable.iter().chain(&[0]).zip(to.by_ref()).for_each(|(byte, to)| to.store(*byte, Relaxed));
            }
        });
    }

    /// The process runs its exit handlers. `all_ns`: its CPU time; `earlier_ns`: the part of it from before it became
    /// this program.
    pub fn exit(&self, all_ns: u64, earlier_ns: u64) {
        self.clock_ns.store(all_ns, Relaxed);
        self.cpu_ns.store(all_ns.saturating_sub(earlier_ns), Relaxed);
    }

    /// Number of processors that its threads were allowed to use; `None` if the system did not report it.
    pub fn processors_allowed(&self) -> Option<u32> {
        let count = self.allowed.iter().map(|word| word.load(Relaxed).count_ones()).sum();
        Some(count).filter(|count| *count > 0)
    }

    /// The settings, in the order of the environment.
    pub fn settings(&self) -> Vec<(String, String)> {
        let bytes: Vec<u8> = self.settings.iter().map(|byte| byte.load(Relaxed)).collect();
        let words = bytes.split(|byte| *byte == 0).take_while(|word| !word.is_empty());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        words
            .filter_map(|word| {
                let at = word.iter().position(|byte| *byte == b'=')?;
                Some((text(word.get(..at)?), text(word.get(at + 1..)?)))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::stat::layout::Area;

    #[test]
    fn the_first_thread_enters_the_settings_of_openmp() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let surroundings = shared.area().surroundings(3).unwrap();
        assert_eq!((surroundings.processors_allowed(), surroundings.settings()), (None, vec![]));
        let mut mask = [0; WORDS];
        mask[1] = 0b101;
        surroundings.allow(mask);
        assert_eq!(surroundings.processors_allowed(), Some(2));
        assert!(surroundings.is_first() && !surroundings.is_first());
        let variables: [&[u8]; 3] = [b"HOME=/", b"OMP_NUM_THREADS=2", b"GOMP_SPINCOUNT=0"];
        surroundings.enter_settings(|then| variables.into_iter().for_each(then));
        let settings = [("OMP_NUM_THREADS", "2"), ("GOMP_SPINCOUNT", "0")];
        assert_eq!(surroundings.settings(), settings.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert!(shared.area().surroundings(2).unwrap().processors_allowed().is_none());
    }
}
