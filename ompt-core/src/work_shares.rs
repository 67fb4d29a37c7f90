//! Chunks of loops and sections: the parts of a worksharing construct that a thread gets (OpenMP 5.0, 4.5.2.6; 5.2,
//! 19.5.2.7).

use crate::detail::{Detail, Work};
use crate::dispatch::armed;
use crate::event::{Event, EventSet};
use crate::implicit_task::Constructs;
use crate::iterations::Iterations;
use crate::region::Region;
use crate::tls::{self, CallSite};

impl Constructs {
    /// Begins the implicit task's part of a loop of this kind.
    #[inline(always)]
    pub fn open_loop(self, kind: Work, space: impl Fn() -> Iterations) {
        if armed(EventSet::of(&[Event::Dispatch])) {
            self.thread.task().current_loop.set(space());
        } else {
            // A tool that registers in the middle of the loop doesn't get chunks computed from the bounds of an earlier
            // loop.
            self.thread.task().current_loop.forget();
        }
        self.open_work(kind, || space().count());
    }

    /// Like [`open_loop`](Self::open_loop), if the region itself is the loop: its start is reported when the thread
    /// asks for a chunk.
    pub fn expect_loop(self, kind: Work, space: Iterations) {
        self.thread.task().current_loop.set(space);
        self.expect_work(kind, space.count());
    }

    /// Begins the implicit task's part of a sections construct, at the thread's latest call site.
    #[inline(always)]
    pub fn open_sections(self, count: u64) {
        self.thread.task().set_sections_code(tls::return_address());
        self.open_work(Work::Sections, || count);
    }

    /// Like [`open_sections`](Self::open_sections), if the region itself is the construct: its function has the
    /// sections. (The region's call may be a jump, which returns to a different place each time.)
    pub fn expect_sections(self, region: &'static Region, count: u64) {
        self.thread.task().set_sections_code(region.function() + 1);
        self.expect_work(Work::Sections, count);
    }

    /// Reports the chunk of the current loop from one value of its variable up to, but not including, another.
    pub fn report_chunk(self, begin: u64, end: u64) {
        if let Some(space) = self.thread.task().current_loop.get() {
            self.report_share(Work::Loop, space.chunk(begin, end));
        }
    }

    /// Reports the section with that number, counted from 1. Its address is the construct's, which is the same on each thread.
    pub fn report_section(self, number: u64) {
        let call = tls::call();
        tls::set_call(CallSite { return_address: self.thread.task().sections_code(), ..call });
        self.report_share(Work::Sections, (number, 1));
        tls::set_call(call);
    }

    /// Reports the part of a taskloop that the current task, which is one of its chunks, executes.
    pub fn report_taskloop_chunk(self, space: Iterations, begin: u64, end: u64) {
        self.report_share(Work::Taskloop, space.chunk(begin, end));
    }

    fn report_share(self, kind: Work, (first, iterations): (u64, u64)) {
        self.thread.raise_with(Event::Dispatch, &Detail::Dispatch { kind, first, iterations });
    }
}
