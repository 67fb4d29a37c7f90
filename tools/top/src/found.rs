//! Figures of a process that another `ora` watches.

use std::ffi::OsString;
use std::rc::Rc;

use anyhow::Result;
use attach_outside::process::Process;
use attach_outside::process_clock;
use stat_analysis::identity::End;
use stat_analysis::stat::{Resolvers, Run, snapshot};
use stat_analysis::{Exit, FinishedRun};
use stat_layout::clock::monotonic_ns;
use stat_layout::stat::layout::Area;

use super::pages::{self, Page};
use super::source::Source;

/// Page of another `ora`.
#[derive(Debug)]
pub struct Found {
    page: Page,
    pid: u32,
    begun_ns: u64,
    /// CPU time of the process before that.
    before_cpu_ns: u64,
}

impl Found {
    /// Finds the page that counts a process. `None` if no `ora` counts it.
    pub fn of(pid: u32) -> Option<Self> {
        let page = pages::of(pid)?;
        let before_cpu_ns = if page.was_attached() { cpu_ns(&page) } else { 0 };
        Some(Self { page, pid, begun_ns: monotonic_ns(), before_cpu_ns })
    }
}

impl Source for Found {
    fn area(&self) -> &Area {
        self.page.area()
    }

    fn so_far(&self) -> FinishedRun {
        FinishedRun::so_far(self.begun_ns, cpu_ns(&self.page).saturating_sub(self.before_cpu_ns))
    }

    /// Ignores what the page contains about running processes that it may not speak for.
    fn read(&self, so_far: &FinishedRun, resolvers: &mut Resolvers) -> Run {
        let mut run = Run::read_live(self.area(), so_far, resolvers);
        let believed =
            |process: &snapshot::Process| process.who.end != End::Running || self.page.speaks_for(process.who.pid);
        run.main = run.main.take().filter(believed);
        run.others.retain(believed);
        run
    }

    fn is_borrowed(&self) -> bool {
        true
    }

    fn has_begun_earlier(&self) -> bool {
        self.page.was_attached()
    }

    fn pid(&self) -> Option<u32> {
        Some(self.pid)
    }

    fn is_over(&self) -> bool {
        self.page.is_over() || !Process { pid: self.pid }.lives()
    }

    fn words(&self) -> Vec<OsString> {
        Process { pid: self.pid }.words()
    }

    fn end(self: Box<Self>) -> Result<(Run, Exit)> {
        let mut resolvers = Resolvers::new(&Rc::default());
        Ok((self.read(&self.so_far(), &mut resolvers), Exit::Code(0)))
    }
}

/// CPU time of the process that a page was created for.
fn cpu_ns(page: &Page) -> u64 {
    page.root().map(process_clock::cpu_ns).unwrap_or_default()
}
