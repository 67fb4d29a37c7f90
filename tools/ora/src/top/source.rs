//! Sources of figures: a process that was attached to, a program that was started, or the memory of another `ora`.

use std::ffi::OsString;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;
use attach_inside::mailbox::kind;
use attach_outside::target::Allowed;
use attach_outside::{process as outside, process_clock};
use stat_analysis::FinishedRun;
use stat_analysis::identity::End;
use stat_analysis::stat::snapshot::Process;
use stat_analysis::stat::{Resolvers, Run};
use stat_layout::area::SharedArea;
use stat_layout::clock::monotonic_ns;
use stat_layout::stat::layout::Area;
use symbols::Instrumented;

use super::pages::{self, Page};
use super::started::Started;
use crate::exit::Exit;
use crate::live::{self, Session};
use crate::signals;

/// Origin of the figures.
#[derive(Debug)]
pub(super) enum Source {
    /// A session of our own in a process that ran already.
    Attached(u32, Session<SharedArea<Area>>),
    /// A program of ours.
    Started(Started),
    /// A process that another `ora` watches.
    Found(Found),
}

/// The page of another `ora`.
#[derive(Debug)]
pub(super) struct Found {
    page: Page,
    pid: u32,
    begun_ns: u64,
    /// CPU time of the process before that.
    before_cpu_ns: u64,
}

impl Source {
    /// Looks for the figures of a process, or attaches to it.
    ///
    /// # Errors
    /// The reason for which it can't be attached to.
    pub(super) fn of_process(pid: u32, allowed: Allowed) -> Result<Self> {
        if let Some(page) = pages::of(pid) {
            signals::take_note();
            let before_cpu_ns = if page.was_attached() { cpu_ns(&page) } else { 0 };
            return Ok(Self::Found(Found { page, pid, begun_ns: monotonic_ns(), before_cpu_ns }));
        }
        live::begin_collector::<Area>(pid, allowed, kind::STAT).map(|session| Self::Attached(pid, session))
    }

    /// The collector's memory.
    pub(super) fn area(&self) -> &Area {
        match self {
            Self::Attached(_, session) => session.area(),
            Self::Started(started) => started.area(),
            Self::Found(found) => found.page.area(),
        }
    }

    /// The run up to now.
    pub(super) fn so_far(&self) -> FinishedRun {
        match self {
            Self::Attached(_, session) => session.so_far(),
            Self::Started(started) => started.so_far(),
            Self::Found(Found { page, begun_ns, before_cpu_ns, .. }) => {
                let cpu_ns = cpu_ns(page).saturating_sub(*before_cpu_ns);
                FinishedRun::so_far(*begun_ns, cpu_ns)
            }
        }
    }

    /// The figures up to then. What a page says of processes that run and that it does not speak for is left out.
    pub(super) fn read(&self, so_far: &FinishedRun, resolvers: &mut Resolvers) -> Run {
        let mut run = Run::read_live(self.area(), so_far, resolvers);
        if let Self::Found(Found { page, .. }) = self {
            let believed = |process: &Process| process.who.end != End::Running || page.speaks_for(process.who.pid);
            run.main = run.main.take().filter(believed);
            run.others.retain(believed);
        }
        run
    }

    /// Constructs that OPARI has instrumented, as far as they are known.
    pub(super) fn instrumented(&self) -> Rc<Instrumented> {
        match self {
            Self::Started(started) => started.instrumented(),
            Self::Attached(..) | Self::Found(_) => Rc::default(),
        }
    }

    /// True if the figures have begun before this `ora` did, and not with the program.
    pub(super) fn has_begun_earlier(&self) -> bool {
        matches!(self, Self::Found(found) if found.page.was_attached())
    }

    /// The process that the user asked for; `None`: the first one.
    pub(super) fn pid(&self) -> Option<u32> {
        match self {
            Self::Attached(pid, _) => Some(*pid),
            Self::Started(_) => None,
            Self::Found(found) => Some(found.pid),
        }
    }

    /// True if nothing more is counted.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Attached(_, session) => !session.lives_for(Some(Duration::ZERO)),
            Self::Started(started) => started.is_over(),
            Self::Found(found) => found.page.is_over() || !outside::Process { pid: found.pid }.lives(),
        }
    }

    /// The user wants to leave. A program of ours is interrupted, and its end is to be waited for.
    pub(super) fn interrupt(&mut self) {
        if let Self::Started(started) = self {
            started.interrupt();
        }
    }

    /// True if the user can't leave before the end.
    pub(super) fn is_own_program(&self) -> bool {
        matches!(self, Self::Started(_))
    }

    /// The command line, for the name of the process.
    pub(super) fn words(&self) -> Vec<OsString> {
        match self {
            Self::Attached(pid, _) => outside::Process { pid: *pid }.words(),
            Self::Started(started) => started.words().to_vec(),
            Self::Found(found) => outside::Process { pid: found.pid }.words(),
        }
    }

    /// Ends what was begun here: the final figures, and the exit status. Waits for the end of a program of ours.
    ///
    /// # Errors
    /// If the figures don't come, or the program could not be started.
    pub(super) fn end(self) -> Result<(Run, Exit)> {
        match self {
            Self::Attached(_, mut session) => {
                let watched = session.end().map_err(live::failure)?;
                Ok((Run::read(session.area(), &watched.run, &Rc::default()), Exit::Code(0)))
            }
            Self::Started(started) => started.end(),
            Self::Found(found) => {
                let so_far = Self::Found(found);
                let mut resolvers = Resolvers::new(&Rc::default());
                Ok((so_far.read(&so_far.so_far(), &mut resolvers), Exit::Code(0)))
            }
        }
    }
}

/// CPU time of the process that a page was made for.
fn cpu_ns(page: &Page) -> u64 {
    page.root().map(process_clock::cpu_ns).unwrap_or_default()
}
