//! Settings that the command passes in environment variables, read once. Unsafe: reading environment variables.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::fs;

use attach_inside::current::Current;
use attach_inside::settings;
use profile_format::variable;

use crate::text::Text;
use crate::{perf_event, system};

unsafe extern "C" {
    fn secure_getenv(name: *const c_char) -> *const c_char;
    static environ: *const *const c_char;
}

const RATES: std::ops::RangeInclusive<u64> = 1..=10_000;
const DEFAULT_RATE: u64 = 97;
/// A signal for programs that have a handler for the usual ones.
const OTHER_SIGNAL: c_int = 40;

/// The setting of this process. It is the same in forked children, and changes with each session of a library that is
/// attached.
static SETTING: Current<Setting> = Current::none();

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
    /// True if the library was attached to a process that was already running.
    pub(crate) attached: bool,
    /// The process's rank and the number of ranks, as given by the launcher; empty without a launcher.
    pub(crate) rank: Text<16>,
    pub(crate) ranks: Text<16>,
    /// Number of processors that control groups grant; empty: unknown.
    pub(crate) quota: Text<32>,
    /// OpenMP's variables in the environment; see `info::ENVIRONMENT`.
    pub(crate) openmp: Text<2048>,
}

impl Setting {
    /// Builds a setting from our own variables and those of the program. The signal is yet to be chosen.
    fn of<'a>(
        folder: &[u8],
        own: &impl Fn(&CStr) -> Option<&'a [u8]>,
        plain: &impl Fn(&CStr) -> Option<&'a [u8]>,
    ) -> Self {
        let rank = variable::RANKS.iter().find(|(rank, _)| plain(rank).and_then(number).is_some());
        Self {
            folder: text(folder),
            rate: own(variable::RATE).and_then(number).filter(|rate| RATES.contains(rate)).unwrap_or(DEFAULT_RATE),
            signal: variable::USUAL_SIGNAL,
            tick_ns: system::tick_ns(),
            alone: false,
            attached: false,
            rank: text(rank.and_then(|(rank, _)| plain(rank)).unwrap_or_default()),
            ranks: text(rank.and_then(|(_, ranks)| plain(ranks)).unwrap_or_default()),
            quota: text(own(variable::QUOTA).unwrap_or_default()),
            openmp: Text::new(),
        }
    }

    /// The signal if none was chosen: the one for the kernel's events, if these are available.
    fn usual_signal(&self) -> c_int {
        let events = self.is_fast() || perf_event::try_period(self.period_ns()).is_ok();
        if events { variable::HARMLESS_SIGNAL } else { variable::USUAL_SIGNAL }
    }

    /// Time between two of the kernel's ticks.
    pub(crate) fn tick_ns(&self) -> u64 {
        self.tick_ns
    }

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

/// The setting, once it has been read.
pub(crate) fn get() -> Option<&'static Setting> {
    SETTING.get().map(|numbered| &numbered.session)
}

/// Reads the setting; `None` if this process is not to be profiled.
pub(crate) fn read() -> Option<&'static Setting> {
    let folder = value(variable::FOLDER).filter(|folder| folder.starts_with(b"/"))?;
    let only_child_of = value(variable::NO_FOLLOW).and_then(number);
    if only_child_of.is_some_and(|parent| parent != u64::from(system::parent().unsigned_abs())) {
        return None;
    }
    let alone = only_child_of.is_some();
    let mut setting = Setting { alone, openmp: openmp(), ..Setting::of(folder, &value, &plain) };
    let wanted = wanted_signal(&value);
    setting.signal = wanted.unwrap_or_else(|| setting.usual_signal());
    SETTING.open(setting)
}

/// Takes the setting of a session that starts in a running process. `has_handler` returns whether the program has a handler
/// for a signal. `None` if no signal is left, or there is no folder.
pub(crate) fn take(text: &[u8], has_handler: impl Fn(c_int) -> bool) -> Option<&'static Setting> {
    let own = |name: &CStr| settings::value(text, name);
    // The environment with which the process was started: its threads may change it now.
    let environment = fs::read("/proc/thread-self/environ").unwrap_or_default();
    let plain = |name: &CStr| settings::value(&environment, name);
    let folder = own(variable::FOLDER).filter(|folder| folder.starts_with(b"/"))?;
    let mut setting = Setting { alone: true, attached: true, ..Setting::of(folder, &own, &plain) };
    environment.split(|byte| *byte == 0).for_each(|variable| push_openmp(&mut setting.openmp, variable));
    let usual = [setting.usual_signal(), variable::USUAL_SIGNAL, OTHER_SIGNAL];
    let wanted = wanted_signal(&own);
    let mut signals = wanted.into_iter().chain(usual.into_iter().filter(|_| wanted.is_none()));
    setting.signal = signals.find(|signal| !has_handler(*signal))?;
    SETTING.open(setting)
}

fn wanted_signal<'a>(value: &impl Fn(&CStr) -> Option<&'a [u8]>) -> Option<c_int> {
    let signal = value(variable::SIGNAL).and_then(number).and_then(|signal| c_int::try_from(signal).ok());
    signal.filter(|signal| (1..65).contains(signal))
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

/// Adds a variable if OpenMP runtimes read it, and it fits.
fn push_openmp(found: &mut Text<2048>, variable: &[u8]) {
    // `ora trace` sets the default.
    let is_users = variable != b"OMP_TOOL=enabled";
    let is_openmp = [&b"OMP_"[..], b"GOMP_", b"KMP_"].into_iter().any(|prefix| variable.starts_with(prefix));
    if is_openmp && is_users && found.bytes().len() + variable.len() < 2047 {
        found.push(variable).push(&[0]);
    }
}

/// Collects the variables that OpenMP runtimes read. What doesn't fit is left out.
fn openmp() -> Text<2048> {
    let mut found = Text::new();
    // SAFETY: the C library's; no thread changes the environment while libraries are being loaded.
    let mut at = unsafe { environ };
    while !at.is_null() {
        // SAFETY: an entry of the array, which a null ends.
        let Some(variable) = bytes(unsafe { *at }) else { break };
        push_openmp(&mut found, variable);
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
