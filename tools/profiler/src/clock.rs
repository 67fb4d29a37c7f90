//! What sends a thread its signals: an event of the kernel where the asked rate needs that and it is permitted, else a timer.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};

use crate::perf_event::{self, Page};
use crate::setting::Setting;
use crate::system::Descriptor;
use crate::text::Text;
use crate::threads::Thread;
use crate::trouble::{Trouble, tell};
use crate::{disposition, session, setting, timer};

/// Why there are no events: an error number. 0: there are.
static REFUSED: AtomicI32 = AtomicI32::new(NOT_TRIED);
/// Timers do.
const NOT_TRIED: c_int = -1;
/// Events can't have this signal.
const SIGNAL: c_int = -2;

/// A thread's clock.
#[derive(Debug)]
pub(crate) struct Place {
    page: Page,
    /// A timer's number plus 1; 0: none.
    timer: AtomicUsize,
}

impl Place {
    /// In a forked child: neither is inherited.
    pub(crate) fn forget(&self) {
        self.page.forget();
        self.timer.store(0, Relaxed);
    }
}

/// Finds out what there is to be had, once.
pub(crate) fn prepare(setting: &Setting) {
    if setting.is_faster_than_ticks() {
        let refused = match perf_event::try_out(setting) {
            Ok(()) => 0,
            Err(0) => SIGNAL,
            Err(error) => error,
        };
        REFUSED.store(refused, Relaxed);
    }
}

/// Starts the calling thread's clock. Async-signal-safe: system calls.
pub(crate) fn start(thread: &Thread) {
    let Some(setting) = setting::get().filter(|_| !disposition::is_taken()) else { return };
    let tid = thread.tid.load(Relaxed);
    let refused = match REFUSED.load(Relaxed) {
        0 => match thread.clock.page.start(setting, tid) {
            Ok(()) => return,
            Err(error) => error,
        },
        refused => refused,
    };
    if refused != NOT_TRIED {
        tell(Trouble::Tick, |text| tell_tick(setting, refused, text));
    }
    match timer::start(setting, tid) {
        Ok(timer) => thread.clock.timer.store(timer + 1, Relaxed),
        Err(error) => tell(Trouble::Timer, |text| {
            text.push(b"a thread got no timer and has no samples (error ")
                .number(u64::from(error.unsigned_abs()))
                .push(b")");
            if error == libc::EAGAIN {
                text.push(b": raise the limit of pending signals (ulimit -i)");
            }
        }),
    }
}

/// Ends a thread's clock; any thread of its process may.
pub(crate) fn stop(thread: &Thread) {
    // A child that was made without the C library has a copy of the record, but not what it tells of.
    if !session::is_here() {
        return;
    }
    thread.clock.page.stop();
    if let Some(timer) = thread.clock.timer.swap(0, Relaxed).checked_sub(1) {
        timer::stop(timer);
    }
}

/// Whether a signal comes from a clock.
pub(crate) fn sent(info: &libc::siginfo_t) -> bool {
    timer::sent(info) || perf_event::sent(info)
}

/// What the signals come from.
pub(crate) fn kind() -> &'static [u8] {
    if REFUSED.load(Relaxed) == 0 { b"perf" } else { b"timer" }
}

/// Why there are fewer samples than asked for.
fn tell_tick(setting: &Setting, refused: c_int, text: &mut Text<256>) {
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
