//! Settings that the command passes in environment variables, read once. Unsafe: reading environment variables.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

use profile_data::variable;

use crate::text::Text;
use crate::{perf_event, system};

unsafe extern "C" {
    fn secure_getenv(name: *const c_char) -> *const c_char;
    static environ: *const *const c_char;
}

const RATES: std::ops::RangeInclusive<u64> = 1..=10_000;
const DEFAULT_RATE: u64 = 100;

/// Variables in which launchers of parallel programs pass a process's rank and the number of ranks.
const RANKS: [(&CStr, &CStr); 4] = [
    (c"OMPI_COMM_WORLD_RANK", c"OMPI_COMM_WORLD_SIZE"),
    (c"PMI_RANK", c"PMI_SIZE"),
    (c"PMIX_RANK", c"PMIX_SIZE"),
    (c"SLURM_PROCID", c"SLURM_NTASKS"),
];

/// The setting of this process. It stays the same in forked children.
static SETTING: OnceLock<Setting> = OnceLock::new();

#[derive(Debug)]
pub(crate) struct Setting {
    /// The profile's folder.
    pub(crate) folder: Text<3072>,
    pub(crate) rate: u64,
    pub(crate) signal: c_int,
    /// The time between two of the kernel's ticks, in nanoseconds.
    tick_ns: u64,
    /// True if forked children are left out.
    pub(crate) alone: bool,
    /// The process's rank and the number of ranks, as the launcher gives them; empty: no launcher.
    pub(crate) rank: Text<16>,
    pub(crate) ranks: Text<16>,
    /// Number of processors that control groups grant; empty: unknown.
    pub(crate) quota: Text<32>,
    /// OpenMP's variables in the environment; see `info::ENVIRONMENT`.
    pub(crate) openmp: Text<2048>,
}

impl Setting {
    /// The time between two samples of a thread.
    pub(crate) fn period_ns(&self) -> u64 {
        1_000_000_000 / self.rate.max(1)
    }

    /// True if samples come faster than the kernel's ticks.
    pub(crate) fn is_fast(&self) -> bool {
        self.rate > self.tick_rate()
    }

    /// Highest rate of timers, a second: the kernel's ticks.
    pub(crate) fn tick_rate(&self) -> u64 {
        1_000_000_000 / self.tick_ns.max(1)
    }
}

/// The setting, once it was read.
pub(crate) fn get() -> Option<&'static Setting> {
    SETTING.get()
}

/// Reads the setting; `None` if this process is not to be profiled.
pub(crate) fn read() -> Option<&'static Setting> {
    let folder = value(variable::FOLDER).filter(|folder| folder.starts_with(b"/"))?;
    let only_child_of = value(variable::NO_FOLLOW).and_then(number);
    if only_child_of.is_some_and(|parent| parent != u64::from(system::parent().unsigned_abs())) {
        return None;
    }
    let rank = RANKS.iter().find(|(rank, _)| plain(rank).and_then(number).is_some());
    let signal = value(variable::SIGNAL).and_then(number).and_then(|signal| c_int::try_from(signal).ok());
    let mut setting = Setting {
        folder: text(folder),
        rate: value(variable::RATE).and_then(number).filter(|rate| RATES.contains(rate)).unwrap_or(DEFAULT_RATE),
        signal: variable::USUAL_SIGNAL,
        tick_ns: system::tick_ns(),
        alone: only_child_of.is_some(),
        rank: text(rank.and_then(|(rank, _)| plain(rank)).unwrap_or_default()),
        ranks: text(rank.and_then(|(_, ranks)| plain(ranks)).unwrap_or_default()),
        quota: text(value(variable::QUOTA).unwrap_or_default()),
        openmp: openmp(),
    };
    let events = setting.is_fast() || signal.is_none() && perf_event::try_period(setting.period_ns()).is_ok();
    let usual = if events { variable::HARMLESS_SIGNAL } else { variable::USUAL_SIGNAL };
    setting.signal = signal.filter(|signal| (1..65).contains(signal)).unwrap_or(usual);
    SETTING.set(setting).ok()?;
    get()
}

fn text<const N: usize>(bytes: &[u8]) -> Text<N> {
    let mut text = Text::new();
    text.push(bytes);
    text
}

fn number(digits: &[u8]) -> Option<u64> {
    str::from_utf8(digits).ok()?.parse().ok()
}

/// Reads one of our variables, which is ignored in a program that runs with another user's rights.
fn value(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: a C string; no thread changes the environment while libraries are being loaded.
    bytes(unsafe { secure_getenv(name.as_ptr()) })
}

/// Reads a variable that is not one of ours.
fn plain(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: a C string; no thread changes the environment while libraries are being loaded.
    bytes(unsafe { libc::getenv(name.as_ptr()) })
}

/// Collects the variables that OpenMP runtimes read. What doesn't fit is left out.
fn openmp() -> Text<2048> {
    let mut found = Text::new();
    // SAFETY: the C library's; no thread changes the environment while libraries are being loaded.
    let mut at = unsafe { environ };
    while !at.is_null() {
        // SAFETY: an entry of the array, which a null ends.
        let Some(variable) = bytes(unsafe { *at }) else { break };
        let ours = [&b"OMP_"[..], b"GOMP_", b"KMP_"].into_iter().any(|prefix| variable.starts_with(prefix));
        if ours && found.bytes().len() + variable.len() < 2047 {
            found.push(variable).push(&[0]);
        }
        // SAFETY: the entry was not the null at the array's end.
        at = unsafe { at.add(1) };
    }
    found
}

fn bytes(value: *const c_char) -> Option<&'static [u8]> {
    if value.is_null() {
        return None;
    }
    // SAFETY: the environment's strings end in a zero and stay as they are while libraries are being loaded.
    Some(unsafe { CStr::from_ptr(value) }.to_bytes())
}
