//! A thread's source of sampling signals: a timer, or a `perf_event` where that is better and permitted.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed};

use profile_format::{Record, info};

use crate::account::Account;
use crate::diagnostics::{Diagnostic, report};
use crate::file::FILE;
use crate::filter;
use crate::perf_event::{self, Page};
use crate::setting::Setting;
use crate::system::{self, Descriptor};
use crate::text::Text;
use crate::{disposition, process, setting, timer};

/// Error number of the refused `perf_event_open`, or a constant below; 0: events are permitted.
static REFUSED: AtomicI32 = AtomicI32::new(NOT_TRIED);
/// Value of `REFUSED` if events were not tried: timers are good enough.
const NOT_TRIED: c_int = -1;
/// Value of `REFUSED` if events can't have this signal.
const SIGNAL: c_int = -2;

/// True once a thread of this process was preempted while it ran: threads share processors.
static SHARED: AtomicBool = AtomicBool::new(false);
/// Number of sleeps between two signals that makes an event too expensive.
const OFTEN: u64 = 20;

/// Clock of a thread.
#[derive(Debug)]
pub(crate) struct Clock {
    page: Page,
    /// A timer's number plus 1; 0 if there is none.
    timer: AtomicI32,
    /// True while the first signal, which has its own delay, has not come yet.
    early: AtomicBool,
    /// Counts of voluntary and involuntary context switches at the thread's last signal.
    slept: AtomicU64,
    taken_off: AtomicU64,
}

impl Clock {
    /// Drops both sources in a forked child, which inherits neither.
    pub(crate) fn forget(&self) {
        self.page.forget();
        self.timer.store(0, Relaxed);
    }

    /// Starts the clock of the calling thread, which starts now. Async-signal-safe: system calls.
    pub(crate) fn begin(&self, account: &Account, tid: u32, now_ns: u64) {
        let Some(setting) = setting::get() else { return };
        let period_ns = setting.period_ns();
        let first = account.first_period_ns(period_ns, now_ns);
        self.early.store(first.is_some(), Relaxed);
        self.slept.store(0, Relaxed);
        self.taken_off.store(0, Relaxed);
        self.start(setting, tid, first.unwrap_or(period_ns), setting.is_fast() || SHARED.load(Relaxed));
    }

    /// Adjusts the clock at its thread's signal. Async-signal-safe: system calls.
    pub(crate) fn go_on(&self, account: &Account, tid: u32, now_ns: u64) {
        let Some(setting) = setting::get() else { return };
        let early = self.early.swap(false, Relaxed);
        if early {
            account.due(setting.period_ns(), now_ns);
        }
        let (has, prefers) = (self.page.is_there(), self.prefers_event(setting));
        // A timer has a first time and a period, an event has only one period.
        if has != prefers || has && early {
            self.stop();
            self.start(setting, tid, setting.period_ns(), prefers);
        }
    }

    /// True if an event is better than a timer: at rates that timers don't support, and where threads share processors,
    /// since the kernel switches them at the ticks that timers depend on. Each time a thread sleeps, an event costs some
    /// microseconds. So a timer is better for a thread that sleeps often, even if the timer is slower.
    fn prefers_event(&self, setting: &Setting) -> bool {
        if REFUSED.load(Relaxed) != 0 {
            return setting.is_fast() && self.page.is_there();
        }
        let [slept, taken_off] = system::switches();
        let often = slept.saturating_sub(self.slept.swap(slept, Relaxed)) > OFTEN;
        let shared = taken_off.saturating_sub(self.taken_off.swap(taken_off, Relaxed)) > 0;
        if shared && !SHARED.swap(true, Relaxed) && !setting.is_fast() {
            FILE.write(Record::Info { key: info::TIMER, value: b"perf" });
        }
        (setting.is_fast() || SHARED.load(Relaxed)) && !often
    }

    fn start(&self, setting: &Setting, tid: u32, first_ns: u64, event: bool) {
        if disposition::is_taken() {
            return;
        }
        let refused = match REFUSED.load(Relaxed) {
            0 if !event => NOT_TRIED,
            0 => match self.page.start(setting.signal, tid, first_ns) {
                Ok(()) => return,
                Err(error) => error,
            },
            refused => refused,
        };
        if refused != NOT_TRIED && setting.is_fast() {
            report(Diagnostic::Tick, |text| describe_tick(setting, refused, text));
        }
        match timer::start(setting, tid, first_ns) {
            Ok(timer) => self.timer.store(timer + 1, Relaxed),
            Err(error) => report(Diagnostic::Timer, |text| {
                text.push(b"a thread got no timer and has no samples (error ")
                    .number(u64::from(error.unsigned_abs()))
                    .push(b")");
                if filter::kills() {
                    text.push(b": a filter of system calls, seccomp, kills what asks for one");
                }
                if error == libc::EAGAIN {
                    text.push(b": raise the limit of pending signals (ulimit -i)");
                }
            }),
        }
    }

    /// Stops the clock; any thread of its process may call this.
    pub(crate) fn stop(&self) {
        // A child that was created without the C library has a copy of the record, but not the clock that it
        // describes.
        if !process::is_here() {
            return;
        }
        self.page.stop();
        let timer = self.timer.swap(0, Relaxed);
        if timer > 0 {
            timer::stop(timer - 1);
        }
    }
}

/// Checks once whether events are available.
pub(crate) fn prepare(setting: &Setting) {
    let refused = match perf_event::try_out(setting.signal, setting.period_ns()) {
        Ok(()) => 0,
        // Timers are a sufficient, if less exact, substitute.
        Err(_) if !setting.is_fast() => return,
        Err(0) => SIGNAL,
        Err(error) => error,
    };
    REFUSED.store(refused, Relaxed);
}

/// True if a clock sent the signal.
pub(crate) fn sent(info: &libc::siginfo_t) -> bool {
    timer::sent(info) || perf_event::sent(info)
}

/// Stops the timer that sent a signal after the end of the session: it was created while the session ended.
#[cold]
pub(crate) fn end_late(info: &libc::siginfo_t) {
    if timer::sent(info) {
        timer::stop(timer::number(info));
    }
}

/// Name of the signals' source, for the profile: `perf` or `timer`.
pub(crate) fn kind() -> &'static [u8] {
    let fast = setting::get().is_some_and(Setting::is_fast);
    if REFUSED.load(Relaxed) == 0 && (fast || SHARED.load(Relaxed)) { b"perf" } else { b"timer" }
}

/// Writes the reason why fewer samples come than were requested.
fn describe_tick(setting: &Setting, refused: c_int, text: &mut Text<256>) {
    text.push(b"at most ")
        .number(setting.tick_rate())
        .push(b" samples a second, which is what the kernel's tick allows: ");
    if refused == SIGNAL {
        text.push(b"more are had with signal URG only");
        return;
    }
    text.push(b"perf_event_open is refused (error ").number(u64::from(refused.unsigned_abs()));
    let mut digits = [0; 8];
    let level = Descriptor::read_only(c"/proc/sys/kernel/perf_event_paranoid").map_or(0, |file| file.read(&mut digits));
    if level > 0 && matches!(refused, libc::EACCES | libc::EPERM) {
        let level = digits.get(..level).unwrap_or_default().trim_ascii_end();
        text.push(b"; /proc/sys/kernel/perf_event_paranoid is ").push(level);
    }
    text.push(b")");
}
