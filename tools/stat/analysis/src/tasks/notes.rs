//! The table's footnotes, which define its times, and the notes on a process of which not all was seen.

use stat_layout::tasks::layout::{EACH, RARELY};
use terminal::page::Page;
use terminal::quantity::count;
use untrusted::figure::Total;

use super::snapshot::Process;
use crate::hints;
use crate::identity::End;

/// Appends the definitions of the table's times.
pub(super) fn footnotes(out: &mut Page, process: &Process) {
    let without = if process.sight.creation { "suspensions, creations, and" } else { "suspensions and" };
    out.blank();
    out.text(3, "A quarter, half and three quarters of the tasks took less than these times.");
    let estimated: u64 = process.constructs.iter().map(|construct| construct.estimated).total();
    if estimated > 0 {
        let tasks = count(estimated, "undeferred task", "undeferred tasks");
        out.text(
            3,
            &format!("Creation: that of {tasks} is the median of those that were timed, one of {EACH} to {RARELY}."),
        );
    }
    out.text(3, "Waiting: from the end of the creation to the start of the execution.");
    out.text(3, &format!("Execution: without {without} other tasks run meanwhile."));
    out.text(3, "Suspension: from start to end, regardless of what the thread did.");
    out.text(3, "* in suspensions, with no task to run");
    if !process.sight.creation {
        out.text(
            3,
            "This runtime reports a creation by one event, without its start and end: the cost of a task is unknown, \
             and tasks that are too small are not reported.",
        );
    }
    let forgotten = process.sum(|thread| thread.forgotten);
    if forgotten > 0 {
        out.text(3, &format!("{forgotten} without a place or times: too many tasks waited to remember them all"));
    }
}

/// Reasons why a table is empty or incomplete. `others`: other processes used tasks.
pub(super) fn notes(process: &Process, others: bool) -> Vec<String> {
    let mut notes: Vec<String> = hints::session(&process.who).into_iter().collect();
    if process.who.session == Some(0) && !process.used_tasks() {
        notes.push(if others {
            "it used no tasks itself".to_owned()
        } else if process.who.runtimes == 0 {
            "no OpenMP runtime was loaded with the program. Is it compiled and linked with -fopenmp (`ldd PROGRAM` then shows \
             libgomp)? One that it loads later (dlopen) shows in `ora stat -- PROGRAM`; `ora doctor -- PROGRAM` says more"
                .to_owned()
        } else if process.who.refused.is_empty() {
            "no task was seen. `ora stat -- PROGRAM` shows what else the threads did; `ora doctor -- PROGRAM` says \
             whether it would be seen"
                .to_owned()
        } else {
            format!("the tasks of this runtime are not reported: {}", hints::SILENCED)
        });
    }
    if let too_deep @ 1.. = process.too_deep() {
        notes.push(format!(
            "{} of {} ran nested so deep that the system refused memory for their times: execution, suspension and \
             levels are without them, and no cut-off is advised",
            too_deep,
            count(process.sum(|thread| thread.created), "task", "tasks"),
        ));
    }
    if process.who.end == End::Running {
        notes.push("this process is still running: the table shows it up to now".to_owned());
    }
    notes
}
