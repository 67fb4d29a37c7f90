//! Handover between the thread that creates a task and the one that executes it, in either order.

use super::pool::{Created, Executed, Pool, Word};
use super::thread_sums::{ThreadSums, Wait};

/// Leaves the creating thread's message.
pub(super) fn announce(sums: &mut ThreadSums, pool: &Pool, id: u64, created: Created) {
    let mut over = None;
    let kept = pool.update(id, |word| match word {
        Some(Word::Started) => Some(Word::Told(created)),
        Some(Word::Executed(executed)) => {
            over = Some(executed);
            None
        }
        _ => Some(Word::Created(created)),
    });
    if !kept {
        sums.count(|slot| &slot.forgotten);
    }
    if let Some(executed) = over {
        sums.started(created, created.at, Wait::Early);
        let cell = sums.cell(created.place);
        sums.executed(created, executed, executed.suspension > 0, None, cell);
    }
}

/// The executing thread takes the creating thread's message, or leaves its own.
pub(super) fn claim(sums: &mut ThreadSums, pool: &Pool, at: u64, id: u64) -> Option<Created> {
    let mut found = None;
    pool.update(id, |word| match word {
        Some(Word::Created(created)) => {
            found = Some(created);
            None
        }
        None => Some(Word::Started),
        // The same id again, which no runtime assigns.
        other => other,
    });
    let created = found?;
    sums.started(created, at, wait(created, at));
    Some(created)
}

/// The creating thread's message, if it came after the start of the execution.
pub(super) fn take_created(pool: &Pool, id: u64) -> Option<Created> {
    let mut found = None;
    pool.update(id, |word| match word {
        Some(Word::Told(created)) => {
            found = Some(created);
            None
        }
        other => other,
    });
    found
}

/// At the end of an execution whose creation was unknown at its start: takes the creating thread's message, or leaves
/// the result.
pub(super) fn settle(sums: &mut ThreadSums, pool: &Pool, id: u64, begun: u64, executed: Executed) -> Option<Created> {
    let mut found = None;
    let looked = pool.update(id, |word| match word {
        Some(Word::Created(created)) => {
            // It could not be looked up at the start.
            found = Some((created, wait(created, begun)));
            None
        }
        Some(Word::Told(created)) => {
            found = Some((created, Wait::Early));
            None
        }
        Some(Word::Started) => Some(Word::Executed(executed)),
        // The creating thread could not leave its message, and has counted that.
        other => other,
    });
    if !looked {
        sums.count(|slot| &slot.forgotten);
    }
    let (created, wait) = found?;
    sums.started(created, begun, wait);
    Some(created)
}

fn wait(created: Created, begun: u64) -> Wait {
    begun.checked_sub(created.at).map_or(Wait::Negative, Wait::Took)
}
