//! Selection of the machine frames that the user model keeps. All stacks here start with the leaf.

use super::step::Step;
use crate::input::Kind;
use crate::state::State;

/// A machine frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) address: u64,
    pub(super) returns: bool,
    pub(super) kind: Kind,
}

impl Frame {
    pub(super) fn step(&self, era: u32) -> Step {
        Step::Code { address: self.address, returns: self.returns, era, kind: self.kind }
    }

    /// True for frames that the user model leaves out.
    pub(super) fn is_runtime(&self) -> bool {
        matches!(self.kind, Kind::Runtime | Kind::Own)
    }

    pub(super) fn is_own(&self) -> bool {
        self.kind == Kind::Own
    }
}

/// Number of frames at the leaf that belong to the runtime and its callees: `malloc`, `pthread_cond_wait`.
pub(super) fn leaf(frames: &[Frame]) -> usize {
    let mut end = 0;
    loop {
        let rest = frames.get(end..).unwrap_or_default();
        let helpers = rest.iter().take_while(|frame| frame.kind == Kind::System).count();
        let own = rest.iter().skip(helpers).take_while(|frame| frame.is_runtime()).count();
        if own == 0 {
            return end;
        }
        end += helpers + own;
    }
}

/// Frames of a thread in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InRegion<'f> {
    /// Frames that the user model puts on top of the region's preface.
    pub(super) own: &'f [Frame],
    /// The same frames with the runtime's between the region's start and its body, and at the leaf.
    pub(super) full: &'f [Frame],
}

/// The part of a thread's stack that belongs to a region. `fork`: the master's stack at the fork, only where the thread
/// is the master. `works`: the thread runs the program's code. `None`: the stack is complete, but doesn't show where
/// the region starts.
pub(super) fn in_region<'f>(
    frames: &'f [Frame],
    fork: Option<&[Frame]>,
    works: bool,
    whole: bool,
) -> Option<InRegion<'f>> {
    if let Some(inside) = fork.and_then(|fork| above(frames, fork)) {
        return Some(InRegion { own: body(inside, works), full: inside });
    }
    let leaf = leaf(frames);
    let rest = frames.get(leaf..).unwrap_or_default();
    if rest.iter().any(Frame::is_runtime) {
        // The runtime has called this thread's part of the region, or a task.
        let own = rest.iter().take_while(|frame| !frame.is_runtime()).count();
        let entry = rest.iter().skip(own).take_while(|frame| frame.is_runtime()).count();
        return Some(InRegion {
            own: rest.get(..own).unwrap_or_default(),
            full: frames.get(..leaf + own + entry).unwrap_or_default(),
        });
    }
    match (leaf, whole) {
        (0, true) => None,
        // Frames are missing: those that are there belong to the region.
        (_, false) if rest.iter().any(|frame| frame.kind.is_program()) => Some(InRegion { own: rest, full: frames }),
        (0, false) => Some(InRegion { own: frames, full: frames }),
        // No body is on the stack: the thread has not started it, or has finished it.
        _ => {
            let inside = frames.get(..leaf).unwrap_or_default();
            Some(InRegion { own: body(inside, works), full: inside })
        }
    }
}

/// True if a thread that is not waiting executes the runtime, or its callees: `gomp_mutex_unlock`, the `malloc` of a
/// task. `found`: the part of the stack that belongs to the region. Without code of the program, a leaf in the system may
/// be the program's own tail call, which has replaced the frame of the body. Outside of regions the program has to be the
/// caller: the system calls destructors of the runtime when the process ends.
pub(super) fn in_runtime(frames: &[Frame], found: Option<InRegion<'_>>) -> bool {
    let inside = found.map_or(frames, |found| found.full);
    let leaf = leaf(inside);
    let called = match found {
        Some(_) => inside.iter().any(|frame| frame.kind.is_program()) || inside.first().is_some_and(Frame::is_runtime),
        None => inside.get(leaf).is_some_and(|caller| caller.kind.is_program()),
    };
    let is_asked = inside.get(leaf).is_some_and(|caller| caller.kind == Kind::Query);
    leaf > 0 && called && !is_asked
}

/// State outside of known regions of a thread that was in the runtime before any event of it was seen: in the library there is no
/// function of ours in front of the runtime's. `None`: it isn't in the runtime, or events were seen.
/// `is_blind`: no event of the runtime can be seen.
pub(super) fn before_events(frames: &[Frame], whole: bool, is_blind: bool) -> Option<State> {
    let begun_by_runtime = frames.iter().rev().find(|frame| frame.kind != Kind::System)?.kind == Kind::Runtime;
    if !whole || frames.iter().any(Frame::is_own) {
        return None;
    }
    if frames.iter().all(|frame| !frame.kind.is_program()) {
        return begun_by_runtime.then_some(State::UNSEEN);
    }
    // The runtime has called the program: in a region that began before.
    let leaf = leaf(frames);
    let is_called = frames.iter().skip(leaf).any(Frame::is_runtime);
    if leaf == 0 {
        return is_called.then_some(State::WORK);
    }
    // Called by the program outside of regions, it does something there, unless no event can be seen.
    let by_program = frames.get(leaf).is_some_and(|caller| caller.kind.is_program());
    (is_called || is_blind && by_program).then_some(State::UNSEEN)
}

/// The frames above those that the master had at the fork. Code that calls the body itself (gcc 4.8 and older; clang,
/// where the region is serialized) has another address in the function with the construct, but the same frames below.
fn above<'f>(frames: &'f [Frame], fork: &[Frame]) -> Option<&'f [Frame]> {
    let (caller, callers) = fork.get(leaf(fork)..)?.split_first()?;
    let same = |a: &[Frame], b: &[Frame]| a.iter().map(|f| f.address).eq(b.iter().map(|f| f.address));
    let (above, below) = frames.split_at_checked(frames.len().checked_sub(callers.len())?)?;
    let (at, above) = above.split_last()?;
    let called = at.address == caller.address || (!callers.is_empty() && at.kind == caller.kind);
    (same(below, callers) && called).then_some(above)
}

/// The program's own frames, among frames that start with the runtime's call of the body.
fn body(inside: &[Frame], works: bool) -> &[Frame] {
    let entry = inside.iter().rev().take_while(|frame| frame.is_runtime()).count();
    let inside = inside.get(..inside.len() - entry).unwrap_or_default();
    let system = inside.iter().take_while(|frame| frame.kind == Kind::System).count();
    if inside.iter().all(|frame| !frame.kind.is_program()) {
        // If the thread works, its body has ended in a tail call.
        return inside.get(..if works { system } else { 0 }).unwrap_or_default();
    }
    let rest = inside.get(leaf(inside)..).unwrap_or_default();
    let own = rest.iter().take_while(|frame| !frame.is_runtime()).count();
    rest.get(..own).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stack from letters: upper case for the program, `r` for the runtime, `q` for what it is asked, `s` for the system.
    fn stack(letters: &str) -> Vec<Frame> {
        let kind = |letter| match letter {
            'r' => Kind::Runtime,
            'q' => Kind::Query,
            's' => Kind::System,
            _ => Kind::Program,
        };
        letters
            .chars()
            .enumerate()
            .map(|(n, letter)| Frame { address: letter as u64, returns: n > 0, kind: kind(letter) })
            .collect()
    }

    fn letters(frames: &[Frame]) -> String {
        frames.iter().map(|frame| char::from_u32(u32::try_from(frame.address).unwrap()).unwrap()).collect()
    }

    fn own(frames: &str, fork: Option<&str>, works: bool) -> String {
        let fork = fork.map(stack);
        in_region(&stack(frames), fork.as_deref(), works, true).map_or("whole".to_owned(), |found| letters(found.own))
    }

    #[test]
    fn the_leaf_is_the_runtime_and_what_it_calls() {
        for (frames, expected) in
            [("rrAB", 2), ("srAB", 2), ("sArB", 0), ("rsrAB", 3), ("rss", 1), ("ss", 0), ("", 0), ("A", 0), ("rAr", 1)]
        {
            assert_eq!(leaf(&stack(frames)), expected, "{frames}");
        }
    }

    #[test]
    fn the_runtimes_time_is_known_by_the_leaf() {
        let is = |frames: &str, fork: Option<&str>| {
            let (frames, fork) = (stack(frames), fork.map(stack));
            in_runtime(&frames, in_region(&frames, fork.as_deref(), true, true))
        };
        for (frames, expected) in [
            ("rBArrss", true),
            ("srBArrss", true),
            ("rrss", true),
            ("BArrss", false),
            ("sBArrss", false),
            ("srss", false),
            ("qBArrss", false),
            ("sqBArrss", false),
            ("rqBArrss", false),
        ] {
            assert_eq!(is(frames, None), expected, "a worker: {frames}");
        }
        for (frames, expected) in [("rBrFMS", true), ("rrFMS", true), ("BrFMS", false), ("srFMS", false)] {
            assert_eq!(is(frames, Some("rrFMS")), expected, "a primary thread: {frames}");
        }
        for (frames, expected) in [
            ("rFMS", true),
            ("srFMS", true),
            ("sFMS", false),
            ("FMS", false),
            ("rss", false),
            ("srsssS", false),
            ("rsFMS", false),
            ("qFMS", false),
            ("srqFMS", false),
        ] {
            assert_eq!(in_runtime(&stack(frames), None), expected, "outside of regions: {frames}");
        }
    }

    #[test]
    fn without_events_the_stack_says_whether_a_thread_works() {
        for (frames, expected) in [
            ("rrss", Some(State::UNSEEN)),
            ("srss", Some(State::UNSEEN)),
            ("BArrss", Some(State::WORK)),
            ("sBArss", Some(State::WORK)),
            ("rBArss", Some(State::UNSEEN)),
            ("BArFMS", Some(State::WORK)),
            ("rFMS", None),
            ("FMS", None),
            ("ss", None),
        ] {
            assert_eq!(before_events(&stack(frames), true, false), expected, "{frames}");
        }
        assert_eq!(before_events(&stack("rrss"), false, false), None);
        assert_eq!(before_events(&stack("rFMS"), true, true), Some(State::UNSEEN));
        assert_eq!(before_events(&stack("FMS"), true, true), None);
        assert_eq!(before_events(&stack("rssS"), true, true), None, "a destructor of the runtime's");
    }

    #[test]
    fn a_worker_begins_where_the_runtime_calls_it() {
        assert_eq!(own("BArrss", None, true), "BA");
        assert_eq!(own("rBArrss", None, false), "BA");
        assert_eq!(own("rrss", None, false), "", "at the end of the region");
        assert_eq!(own("srss", None, true), "s", "the body has ended in a call of the system's");
        assert_eq!(own("TrrBArrss", None, true), "T", "a task that is run in a barrier");
    }

    #[test]
    fn a_master_begins_behind_its_fork() {
        let fork = Some("rrFMS");
        assert_eq!(own("BArrFMS", fork, true), "BA");
        assert_eq!(own("rBArrFMS", fork, false), "BA");
        assert_eq!(own("rrFMS", fork, false), "");
        assert_eq!(own("srFMS", fork, true), "s");
        assert_eq!(own("TrBArrFMS", fork, true), "T");
        assert_eq!(own("FMS", fork, true), "");
    }

    #[test]
    fn a_master_that_is_a_worker_of_the_outer_region_is_not_counted_twice() {
        // X is the outer region's body, which forks.
        let fork = Some("rXrrss");
        assert_eq!(own("rXrrss", fork, false), "");
        assert_eq!(own("YrXrrss", fork, true), "Y");
        // Without the fork's stack this would look like the outer body itself.
        assert_eq!(own("rXrrss", None, false), "X");
    }

    #[test]
    fn code_that_calls_the_body_itself_has_another_address_in_the_caller() {
        let fork = Some("rFMS");
        assert_eq!(own("BAGMS", fork, true), "BA");
        assert_eq!(own("rBAGMS", fork, false), "BA");
        assert_eq!(own("GMS", fork, true), "");
        assert_eq!(own("BAGNS", fork, true), "whole", "another caller");
    }

    #[test]
    fn a_stack_without_a_runtime_is_the_users_already() {
        assert_eq!(own("BAMS", None, true), "whole");
        let cut = stack("BA");
        let found = in_region(&cut, None, true, false).unwrap();
        assert_eq!(letters(found.own), "BA", "cut off above the runtime");
        let cut = stack("rBA");
        let found = in_region(&cut, None, false, false).unwrap();
        assert_eq!(letters(found.own), "BA", "cut off above the runtime");
    }

    #[test]
    fn the_full_part_keeps_the_runtime_but_not_the_threads_start() {
        let full = |frames: &str, fork: Option<&str>| {
            let fork = fork.map(stack);
            letters(in_region(&stack(frames), fork.as_deref(), true, true).unwrap().full)
        };
        assert_eq!(full("rBArrss", None), "rBArr");
        assert_eq!(full("rBArrFMS", Some("rFMS")), "rBArr");
        assert_eq!(full("rrss", None), "rr");
    }
}
