//! Snapshot of a run: the collector's shared memory, read once, with times charged up to the end.

mod owned;
mod process;
mod thread;
mod together;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;

use profile_analysis::job::Job;
use stat_layout::process_table::{PROCESSES, ProcessSlot};
use stat_layout::stat::layout::{Area, THREADS};
use symbols::Instrumented;
use untrusted::figure;

pub use self::process::Process;
use self::process::Source;
pub use self::thread::{Kind, Thread};
use super::resolvers::Resolvers;
use crate::exit::Exit;
use crate::finished_run::FinishedRun;
use crate::quota;

/// One run of the program.
#[derive(Debug)]
pub struct Run {
    /// The program's end.
    pub exit: Exit,
    /// From start to end, as `ora` saw it.
    pub wall_ns: u64,
    /// The process that `ora` started, as the program that it was last. `None`: the collector never ran in it.
    pub main: Option<Process>,
    /// Others that used OpenMP, also earlier images of the first one.
    pub others: Vec<Process>,
    /// Processes that used no OpenMP, the first one not counted.
    pub without_openmp: usize,
    /// Programs that were executed and that can't be watched.
    pub unwatched: u32,
    /// Processes that did not fit into the collector's tables.
    pub processes_left_out: usize,
    /// Threads that did not fit.
    pub threads_left_out: usize,
    /// Regions that did not fit.
    pub regions_left_out: u64,
    /// Shares of threads in regions that did not fit.
    pub shares_left_out: u64,
    /// Regions that were nested too deep to have times.
    pub regions_too_deep: u64,
    /// Loaded objects that did not fit.
    pub objects_left_out: usize,
    /// The job of a launcher.
    pub job: Option<Job>,
}

impl Run {
    /// Reads what the collector left.
    pub fn read(area: &Area, finished: &FinishedRun, instrumented: &Rc<Instrumented>) -> Self {
        Self::look(area, finished, false, &mut Resolvers::new(instrumented))
    }

    /// Reads what the collector has so far. `so_far` ends now.
    pub fn read_live(area: &Area, so_far: &FinishedRun, resolvers: &mut Resolvers) -> Self {
        Self::look(area, so_far, true, resolvers)
    }

    fn look(area: &Area, finished: &FinishedRun, is_live: bool, resolvers: &mut Resolvers) -> Self {
        let FinishedRun { exit, start_ns, end_ns, .. } = *finished;
        let root = area.process_table.header.root_pid.load(Relaxed);
        let source = Source { area, finished, is_live, root, quota: quota::of_this_process() };
        let in_use = |slot: &ProcessSlot| slot.pid.load(Relaxed) != 0;
        let mut owned = owned::by_owner(area);
        let mut processes: Vec<Process> = area
            .process_table
            .process_slots()
            .filter(|(_, slot)| in_use(slot))
            .map(|(index, slot)| {
                let owned = owned.remove(&(index + 1)).unwrap_or_default();
                Process::read(source, index, slot, owned, resolvers)
            })
            .collect();
        // Slots are claimed in chronological order.
        let mut main = processes.iter().rposition(|p| p.who.pid == root).map(|place| processes.remove(place));
        let mut others: Vec<Process> = processes.into_iter().filter(Process::used_openmp).collect();
        together::note(&mut main, &mut others);
        let told: BTreeSet<u32> = others.iter().map(|p| p.who.pid).filter(|pid| *pid != root).collect();
        let beyond = |claimed: u32, room: usize| (claimed as usize).saturating_sub(room);
        let processes_left_out = beyond(area.process_table.header.processes.load(Relaxed), PROCESSES);
        let met = area.process_table.header.others.load(Relaxed) as usize;
        Self {
            exit,
            wall_ns: end_ns.saturating_sub(start_ns),
            main,
            // A process that was left out used OpenMP.
            without_openmp: met.saturating_sub(told.len() + processes_left_out),
            others,
            unwatched: area.process_table.header.unwatched.load(Relaxed),
            processes_left_out,
            threads_left_out: beyond(area.process_table.header.threads.load(Relaxed), THREADS),
            regions_left_out: figure::read(&area.regions.left_out),
            shares_left_out: figure::read(&area.regions.lost_shares),
            regions_too_deep: figure::read(&area.regions.too_deep),
            objects_left_out: area.objects.left_out(),
            job: None,
        }
    }
}
