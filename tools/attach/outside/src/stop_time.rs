//! Length of a thread's stop, and the use of processors during it. Unsafe: a clock.
//!
//! On a machine with more ready threads than processors, most of a stop is time in which the tracer or the stopped thread waits for a
//! processor. The scheduler counts that (Linux, Documentation/scheduler/sched-stats).
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "memory of a traced process in `/proc`, which the kernel guards")
)]
#![allow(unsafe_code)]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// Stop of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopTime {
    /// From the request to stop until the thread was let go, without [`Self::before`].
    pub wall: Duration,
    /// Time for which the thread waited for a processor before it could stop: it would have waited without the
    /// request as well.
    pub before: Duration,
    /// The tracer's part.
    pub tracer: Scheduled,
    /// The stopped thread's part.
    pub thread: Scheduled,
}

/// Use of processors by a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// Time on a processor.
    pub ran: Duration,
    /// Time ready, without a processor.
    pub ready: Duration,
}

impl StopTime {
    /// The longer one of two stops.
    #[must_use]
    pub fn longer(self, other: Self) -> Self {
        if other.wall > self.wall { other } else { self }
    }
}

impl Scheduled {
    fn since(self, before: Self) -> Self {
        Self { ran: self.ran.saturating_sub(before.ran), ready: self.ready.saturating_sub(before.ready) }
    }
}

/// Clock of one stop.
pub(crate) struct StopClock {
    since: Instant,
    tracer: Counts,
    thread: Counts,
    tracer_before: Scheduled,
    thread_before: Scheduled,
    /// [`StopTime::before`]
    before: Duration,
}

/// The scheduler's counts of a thread, in a file that is opened before the stop.
struct Counts(Option<File>);

impl Counts {
    fn of(tid: u32) -> Self {
        Self(File::open(format!("/proc/{tid}/schedstat")).ok())
    }

    /// The counts; zero where the kernel doesn't count.
    fn read(&self) -> Scheduled {
        self.times().unwrap_or_default()
    }

    fn times(&self) -> Option<Scheduled> {
        let mut bytes = [0; 64];
        let got = self.0.as_ref()?.read_at(&mut bytes, 0).ok()?;
        let text = str::from_utf8(bytes.get(..got)?).ok()?;
        let mut times = text.split_whitespace().map(|word| word.parse().map(Duration::from_nanos));
        Some(Scheduled { ran: times.next()?.ok()?, ready: times.next()?.ok()? })
    }
}

impl StopClock {
    /// Opens what is needed, and starts.
    pub(crate) fn start(tid: u32) -> Self {
        let mut clock = Self {
            since: Instant::now(),
            tracer: Counts::of(system::threads::id()),
            thread: Counts::of(tid),
            tracer_before: Scheduled::default(),
            thread_before: Scheduled::default(),
            before: Duration::ZERO,
        };
        clock.restart();
        clock
    }

    /// Starts again, just before the thread is asked to stop.
    pub(crate) fn restart(&mut self) {
        self.since = Instant::now();
        self.tracer_before = own_counts(&self.tracer);
        self.thread_before = self.thread.read();
    }

    /// Notes that the thread has stopped.
    pub(crate) fn reached(&mut self) {
        let now = self.thread.read();
        self.before = now.since(self.thread_before).ready;
        self.thread_before = now;
    }

    /// Time since the request.
    pub(crate) fn time(&self) -> StopTime {
        let (tracer, thread) = (own_counts(&self.tracer), self.thread.read());
        StopTime {
            wall: self.since.elapsed().saturating_sub(self.before),
            before: self.before,
            tracer: tracer.since(self.tracer_before),
            thread: thread.since(self.thread_before),
        }
    }

    /// Wall time since then.
    pub(crate) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }
}

/// Counts for the calling thread. Those of a running thread lag behind its clock.
fn own_counts(counts: &Counts) -> Scheduled {
    Scheduled { ran: own_time(), ..counts.read() }
}

/// Time of the calling thread on a processor.
fn own_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable; this clock always exists (clock_gettime(2)).
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_tracer_shows_as_time_on_a_processor_and_a_sleeping_thread_as_none() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let clock = StopClock::start(child.id());
        while clock.time().tracer.ran < Duration::from_millis(3) {}
        let time = clock.time();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(time.wall >= time.tracer.ran, "{time:?}");
        assert_eq!(time.thread, Scheduled::default());
    }

    #[test]
    fn the_longer_stop_is_kept() {
        let stop = |ms| StopTime { wall: Duration::from_millis(ms), ..StopTime::default() };
        assert_eq!((stop(1).longer(stop(2)), stop(2).longer(stop(1))), (stop(2), stop(2)));
    }
}
