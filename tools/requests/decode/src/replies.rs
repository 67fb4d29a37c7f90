//! Checks of replies: their values, and violations of the protocol.

use std::ops::Range;

use serde::Serialize;

use super::answers::{Session, answers};
use super::names::{self, *};
use super::walk::{Entry, int, long};

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Value {
    /// `"state"`: the state of a thread.
    State {
        /// Its number.
        number: i32,
        /// Its name.
        name: Option<&'static str>,
    },
    /// `"wait_id"`: the identifier of a wait.
    WaitId {
        /// The identifier.
        value: String,
        /// Its place, in bytes from the beginning of `mem`.
        at: usize,
    },
    /// `"region"`: the identifier of a parallel region.
    Region {
        /// The identifier.
        id: u64,
        /// True if the parent was asked for.
        parent: bool,
    },
    /// `"task"`: the identifier of a task.
    Task {
        /// The identifier.
        id: u64,
        /// True if the parent was asked for.
        parent: bool,
    },
}

/// The values that a reply contains.
pub(super) fn values(reply: &Entry<'_>) -> Vec<Value> {
    let mem = reply.mem;
    let parent = matches!(reply.r, PARENT_PRID | TASK_PID);
    match (reply.r, reply.ec, reply.rsz) {
        (STATE, OK, _) | (STATE, MEM_TOO_SMALL, 12) => {
            let state = int(mem, 0).map(|number| Value::State { number, name: state(number) });
            let at = if reply.rsz == 16 { 8 } else { 4 };
            let wait = (reply.ec == OK && reply.rsz >= 12).then(|| long(mem, at)).flatten();
            state.into_iter().chain(wait.map(|id| Value::WaitId { value: format!("{id:#x}"), at })).collect()
        }
        (CURRENT_PRID | PARENT_PRID, OK, _) => {
            long(mem, 0).map(|id| Value::Region { id, parent }).into_iter().collect()
        }
        (TASK_ID | TASK_PID, OK, 4) => {
            int(mem, 0).map(|id| Value::Task { id: id.cast_unsigned().into(), parent }).into_iter().collect()
        }
        (TASK_ID | TASK_PID, OK, _) => long(mem, 0).map(|id| Value::Task { id, parent }).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Faults of a reply, from this library or any other.
pub(super) fn faults(reply: &Entry<'_>, before: Option<&Entry<'_>>) -> Vec<String> {
    let mut faults = Vec::new();
    // Another thread may have opened or closed the session, so its state is not taken into account.
    let possible = answers(before.unwrap_or(reply), Session::default());
    if !possible.iter().any(|answer| (answer.ec, answer.rsz) == (reply.ec, reply.rsz)) {
        let mut list: Vec<String> =
            possible.iter().map(|answer| format!("{} with rsz {}", coded(answer.ec), answer.rsz)).collect();
        list.dedup();
        faults.push(format!(
            "{} with rsz {} is not a reply to this request: it can be {}",
            coded(reply.ec),
            reply.rsz,
            list.join(", ")
        ));
    }
    if reply.r == STATE {
        faults.extend(of_state(reply));
    }
    if let Some(before) = before {
        faults.extend(written(before, reply));
    }
    faults
}

fn coded(ec: i32) -> String {
    names::code(ec).map_or_else(|| format!("ec {ec}"), str::to_owned)
}

fn of_state(reply: &Entry<'_>) -> Option<String> {
    let Some(Value::State { number, name }) = values(reply).into_iter().next() else { return None };
    let Some(name) = name else { return Some(format!("{number} is not a state")) };
    match (waits(number), reply.rsz) {
        (true, 4) => Some(format!("{name} waits, so a wait id belongs to it: rsz is 12 or 16")),
        (false, 12 | 16) => Some(format!("{name} has no wait id: rsz is 4")),
        _ => None,
    }
}

/// The library writes the fields `ec` and `rsz`, but `mem` only where the result is stored.
fn written(before: &Entry<'_>, after: &Entry<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, was, is) in [("sz", before.sz, after.sz), ("r", before.r, after.r)] {
        if was != is {
            faults.push(format!("{name} has changed from {was} to {is}: it is the collector's"));
        }
    }
    let allowed = result(after);
    let stray = |at: &usize| !allowed.iter().any(|range| range.contains(at));
    let changed: Vec<usize> = changed(before, after).filter(stray).collect();
    if let (Some(first), Some(last)) = (changed.first(), changed.last()) {
        faults.push(format!("mem+{first} to mem+{last} has changed, where no result lies"));
    }
    faults
}

/// The bytes of `mem` that differ.
pub(super) fn changed(before: &Entry<'_>, after: &Entry<'_>) -> impl Iterator<Item = usize> {
    let differs: Vec<bool> = before.mem.iter().zip(after.mem).map(|(was, is)| was != is).collect();
    (0..).zip(differs).filter(|(_, differs)| *differs).map(|(at, _)| at)
}

/// Ranges of `mem` that contain a reply's result.
fn result(reply: &Entry<'_>) -> Vec<Range<usize>> {
    match (reply.r, reply.ec, reply.rsz) {
        (STATE, OK, 16) => vec![0..4, 8..16],
        (STATE, OK, 12) => vec![0..4, 4..12],
        (STATE, OK, _) | (STATE, MEM_TOO_SMALL, 12) => vec![0..4, 0..0],
        (CURRENT_PRID | PARENT_PRID, OK, _) => vec![0..8, 0..0],
        (TASK_ID | TASK_PID, OK, 4) => vec![0..4, 0..0],
        (TASK_ID | TASK_PID, OK, _) => vec![0..8, 0..0],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::walk;
    use super::*;

    fn bytes(words: &[i32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    fn found(before: Option<&[i32]>, after: &[i32]) -> String {
        let (after, before) = (bytes(after), before.map(bytes));
        let before = before.as_ref().map(|bytes| walk(bytes).0[0]);
        let after = Entry::at(&after, 0, after.len() - 4).unwrap();
        faults(&after, before.as_ref()).join("; ")
    }

    #[test]
    fn good_replies_have_no_faults() {
        for good in [
            &[16, 0, 0, 0, 0][..],
            &[16, 0, 4, 0, 0],
            &[20, 3, 0, 4, 2, 0],
            &[20, 3, 7, 12, 4, 0],
            &[28, 3, 0, 12, 4, 1, 2, 0],
            &[32, 3, 0, 16, 4, 0, 1, 2, 0],
            &[32, 3, 0, 12, 4, 1, 2, 0, 0],
            &[24, 4, 0, 8, 1, 0, 0],
            &[20, 4, 7, 8, 1, 0],
            &[24, 5, 6, 0, 1, 0, 0],
            &[16, 99, 2, 0, 0],
            &[24, 9, 3, 0, 1, 0, 0],
        ] {
            assert_eq!(found(None, good), "", "{good:?}");
        }
    }

    #[test]
    fn replies_that_break_the_protocol_are_named() {
        for (reply, says) in [
            (&[16, 0, 0, 4, 0][..], "OMP_ERRCODE_OK with rsz 4 is not a reply"),
            (&[16, 0, 9, 0, 0], "ec 9 with rsz 0 is not a reply"),
            (&[16, 99, 0, 0, 0], "it can be OMP_ERRCODE_UNKNOWN with rsz 0"),
            (&[20, 3, 0, 4, 17, 0], "17 is not a state"),
            (&[20, 3, 0, 4, 4, 0], "THR_EBAR_STATE waits"),
            (&[28, 3, 0, 12, 2, 0, 0, 0], "THR_WORK_STATE has no wait id"),
            (&[20, 3, 7, 12, 2, 0], "THR_WORK_STATE has no wait id"),
            (&[28, 3, 0, 16, 4, 0, 0, 0], "rsz 16 is not a reply"),
            (&[20, 4, 0, 8, 1, 0], "OMP_ERRCODE_OK with rsz 8 is not a reply"),
        ] {
            let found = found(None, reply);
            assert!(found.contains(says), "{reply:?}: {found}");
        }
    }

    #[test]
    fn bytes_that_are_not_the_librarys_may_not_change() {
        let before = [32, 3, 9, 9, 5, 5, 5, 5, 0];
        assert_eq!(found(Some(&before), &[32, 3, 0, 16, 4, 5, 1, 1, 0]), "");
        assert_eq!(found(Some(&before), &[32, 3, 0, 4, 2, 5, 5, 5, 0]), "");
        assert!(found(Some(&before), &[32, 3, 0, 16, 4, 6, 1, 1, 0]).contains("mem+4 to mem+4 has changed"));
        assert!(found(Some(&before), &[32, 3, 0, 4, 2, 5, 5, 6, 0]).contains("mem+12 to mem+12"));
        assert!(found(Some(&before), &[28, 3, 0, 4, 2, 5, 5, 5, 0]).contains("sz has changed from 32 to 28"));
        assert!(found(Some(&[20, 4, 9, 9, 5, 0]), &[20, 4, 7, 8, 6, 0]).contains("mem+0 to mem+0"));
    }
}
