//! Surroundings of a process: the processors that its threads may use, and the environment's settings. Unsafe: reads the environment.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::processor::{self, WORDS};

/// Bytes kept of the environment's settings.
pub const SETTINGS: usize = 2048;
/// Settings of OpenMP runtimes begin so.
const PREFIXES: [&[u8]; 3] = [b"OMP_", b"GOMP_", b"KMP_"];

/// The surroundings of one process. Valid when all zero.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Surroundings {
    /// Processors that its threads were allowed when their time began, one bit each.
    allowed: [AtomicU64; WORDS],
    /// CPU time of all its threads, when it ran its exit handlers.
    pub cpu_ns: AtomicU64,
    /// The process's CPU clock then, which may have begun with an earlier program.
    pub clock_ns: AtomicU64,
    /// Not 0: somebody has entered the settings.
    entered: AtomicU32,
    /// `NAME=value` each, ended by a zero; an empty one is the last.
    settings: [AtomicU8; SETTINGS],
}

/// CPU time of this process that an earlier program in it had, or its loading took.
static EARLIER_NS: AtomicU64 = AtomicU64::new(0);

/// The process begins, or goes on as another program.
pub(super) fn begin() {
    EARLIER_NS.store(processor::cpu_ns_of_process(), Relaxed);
}

impl Surroundings {
    /// A thread's time begins. The first one's settings are those of the process: a runtime has read them by then.
    pub(super) fn enter_thread(&self) {
        if let Some(mask) = processor::allowed() {
            for (to, word) in self.allowed.iter().zip(mask).filter(|(_, word)| *word != 0) {
                to.fetch_or(word, Relaxed);
            }
        }
        if self.entered.swap(1, Relaxed) == 0 {
            self.enter_settings();
        }
    }

    /// The process runs its exit handlers.
    pub(super) fn exit(&self) {
        let all_ns = processor::cpu_ns_of_process();
        self.clock_ns.store(all_ns, Relaxed);
        self.cpu_ns.store(all_ns.saturating_sub(EARLIER_NS.load(Relaxed)), Relaxed);
    }

    fn enter_settings(&self) {
        let mut to = self.settings.iter();
        // The last byte stays zero, and the one before, so that a setting that is cut off ends.
        let mut left = SETTINGS - 2;
        each_variable(|variable| {
            let ours = PREFIXES.into_iter().any(|prefix| variable.starts_with(prefix));
            if ours && variable.len() < left {
                left -= variable.len() + 1;
                variable.iter().chain(&[0]).zip(to.by_ref()).for_each(|(byte, to)| to.store(*byte, Relaxed));
            }
        });
    }

    /// Number of processors that its threads were allowed; `None` where the system did not say.
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

unsafe extern "C" {
    static environ: *const *const c_char;
}

/// The environment as it is now: a program may have changed it since its start.
fn each_variable(mut then: impl FnMut(&[u8])) {
    // SAFETY: as getenv(3) reads it, which the runtimes call in their regions, too.
    let mut at = unsafe { environ };
    while !at.is_null() {
        // SAFETY: an entry of the array, which a null ends.
        let variable = unsafe { *at };
        if variable.is_null() {
            return;
        }
        // SAFETY: an entry is a string that ends in a zero.
        then(unsafe { CStr::from_ptr(variable) }.to_bytes());
        // SAFETY: the entry was not the null at the array's end.
        at = unsafe { at.add(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::stat::layout::Area;

    #[test]
    fn a_thread_brings_its_processors_and_the_settings() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let surroundings = shared.area().surroundings(3).unwrap();
        assert_eq!((surroundings.processors_allowed(), surroundings.settings()), (None, vec![]));
        surroundings.enter_thread();
        let processors = std::thread::available_parallelism().unwrap().get();
        assert!(surroundings.processors_allowed().unwrap() as usize >= processors);
        let named = |name: &str| PREFIXES.iter().any(|prefix| name.as_bytes().starts_with(prefix));
        assert!(surroundings.settings().iter().all(|(name, _)| named(name)));
        assert!(shared.area().surroundings(2).unwrap().processors_allowed().is_none());
    }
}
