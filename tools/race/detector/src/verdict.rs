//! Verdict on a ThreadSanitizer report: a race of the program, a possible one, or none.

use std::ffi::CStr;

use crate::file;
use crate::held::Taken;
use crate::history::{Construct, Kind};
use crate::line::Line;
use crate::report::{Access, Location, Report, Whose, frames};
use crate::settings::{Chunks, settings};
use crate::{fiber, frames, reductions, shadow, thread};

/// Reason to drop a report, or to take it only for a possible race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Sure,
    Possible(&'static str),
    Dropped(&'static str),
}

/// Reason to drop a report about a thread-local variable.
const OWN_STORAGE: &str = "a thread's own storage";

/// Judges a report, and writes it unless it is not a race; returns false if it is not.
pub(crate) fn judge(report: &Report) -> bool {
    let [first, second] = &report.accesses;
    let constructs = [construct(first, true), construct(second, false)];
    let verdict = verdict(report, &constructs);
    if verdict != Verdict::Sure {
        shadow::watch_again(first.address);
    }
    if verdict == Verdict::Dropped(OWN_STORAGE) {
        thread::known().inspect(|thread| thread.own_words.note(first.address));
    }
    let mut line = Line::new();
    if let Verdict::Dropped(reason) = verdict {
        line.text("{\"type\":\"suppressed\",\"count\":1,\"reason\":").string(reason.as_bytes()).text("}");
        file::append(&mut line);
        return false;
    }
    let sure = verdict == Verdict::Sure;
    line.text("{\"type\":\"race\",\"id\":").number(file::count_race(sure)).text(",\"sure\":").bool(sure);
    line.text(",\"why_possible\":");
    match verdict {
        Verdict::Possible(reason) => line.string(reason.as_bytes()),
        _ => line.text("null"),
    };
    line.text(",\"accesses\":[");
    write_access(&mut line, first, constructs[0], true);
    line.text(",");
    write_access(&mut line, second, constructs[1], false);
    line.text("],\"location\":");
    match &report.location {
        Some(location) => write_location(&mut line, location, first.address, constructs[0]),
        None => _ = line.text("null"),
    }
    line.text("}");
    file::append(&mut line);
    true
}

/// The construct that contains an access: the newest one for the current access, but a former one may have ended.
fn construct(access: &Access, is_current: bool) -> Option<Construct> {
    let history = match access.whose {
        Whose::Fiber(number) => &fiber::numbered(number)?.history,
        Whose::Thread(_) => access.thread()?.own_history(),
        Whose::Unknown => return None,
    };
    if is_current { history.newest_first().next() } else { history.of(frames::innermost_body(access)) }
}

fn verdict(report: &Report, constructs: &[Option<Construct>; 2]) -> Verdict {
    let [first, second] = constructs;
    let same_thread = matches!((first, second), (Some(first), Some(second)) if first.thread == second.thread);
    let is_by_number = |construct: &Construct| construct.by_number;
    // This avoids a false report: tasks of one thread that use one of its threadprivate variables.
    if same_thread && report.location.is_some_and(|location| location.kind == c"tls") {
        return Verdict::Dropped(OWN_STORAGE);
    }
    let own_block =
        report.location.filter(|location| same_thread && location.thread_identity() == first.map(|first| first.thread));
    if own_block.is_some_and(|block| frames::is_thread_local(&block)) {
        return Verdict::Dropped(OWN_STORAGE);
    }
    // This avoids a false report: locals of two tasks at one address, which the search for them has not found (`depth`).
    let is_left = |construct: &Construct| report.accesses.iter().all(|access| access.address < construct.base);
    if same_thread
        && report.location.is_some_and(|location| location.kind == c"stack")
        && constructs.iter().flatten().all(is_left)
    {
        return Verdict::Dropped("a part of the stack that one task left and another used");
    }
    // This avoids a false report: tasks of one thread that use its copy of a variable which they reduce.
    if same_thread && report.accesses.iter().all(|access| reductions::is_copy(access.address)) {
        return Verdict::Dropped("a thread's own copy of a reduced variable");
    }
    let by_chunk = same_thread && are_of_one_share(constructs);
    match settings().chunks {
        // This avoids a false report: chunks of one thread that use a part of an array which belongs to the thread by
        // its number.
        Chunks::Possible if by_chunk && constructs.iter().flatten().any(is_by_number) => {
            Verdict::Dropped("chunks of one thread, by its number")
        }
        Chunks::Possible if by_chunk => Verdict::Possible("chunks of one thread"),
        _ if same_thread && constructs.iter().flatten().all(is_by_number) => {
            Verdict::Possible("same thread, by number")
        }
        // This avoids a false report: a buffer of the thread that its tasks and sections use in turn.
        _ if own_block.is_some_and(|block| frames::is_of_region(&block)) => Verdict::Possible(race_format::OWN_BLOCK),
        _ if have_flushed(constructs) => Verdict::Possible(race_format::FLUSHED),
        _ => Verdict::Sure,
    }
}

/// True for chunks of loops that one task executes.
fn are_of_one_share(constructs: &[Option<Construct>; 2]) -> bool {
    let [Some(first), Some(second)] = constructs else { return false };
    first.kind == Kind::Chunk && second.kind == Kind::Chunk && first.task == second.task
}

/// True if both threads have flushed in the region, the current one since its last barrier: a value may have been
/// passed in this way.
fn have_flushed(constructs: &[Option<Construct>; 2]) -> bool {
    let [Some(now), Some(former)] = constructs else { return false };
    let of_former = thread::identified(former.thread).is_some_and(|thread| thread.flush.is_in_region_of(*former));
    let of_current =
        thread::known().is_some_and(|thread| thread.flush.is_in_region_of(*now) && thread.has_flushed_since_barrier());
    of_former && of_current
}

fn write_access(line: &mut Line, access: &Access, construct: Option<Construct>, is_current: bool) {
    line.text("{\"write\":").bool(access.write).text(",\"atomic\":").bool(access.atomic);
    line.text(",\"size\":").number(access.size).text(",\"address\":").address(access.address);
    line.text(",\"os_thread\":").number(access.context).text(",\"omp_thread\":");
    match construct {
        Some(construct) => line.number(construct.thread_num.into()),
        None => line.text("null"),
    };
    line.text(",\"stack\":").addresses(access.frames());
    line.text(",\"stack_restored\":").bool(access.stack[0] != 0).text(",\"construct\":");
    match construct {
        Some(construct) => {
            line.text("{\"kind\":").string(construct.kind.word().as_bytes());
            let [id, parent] = construct.task;
            line.text(",\"id\":").number(id).text(",\"parent\":").number(parent);
            line.text(",\"codeptr\":").address(construct.codeptr).text(",\"created\":");
            let is_task = matches!(construct.kind, Kind::Task | Kind::Taskloop);
            let callers = construct.callers.into_iter().take_while(|caller| *caller != 0);
            line.addresses(std::iter::once(construct.codeptr).chain(callers).filter(|_| is_task)).text("}");
        }
        None if matches!(access.whose, Whose::Thread(_)) => {
            line.text("{\"kind\":\"foreign thread\",\"codeptr\":\"0x0\",\"created\":[]}");
        }
        None => _ = line.text("null"),
    }
    line.text(",\"region\":");
    match construct.and_then(|construct| construct.region) {
        Some(region) => {
            line.text("{\"codeptr\":").address(region.codeptr).text(",\"function\":").address(region.function);
            line.text(",\"id\":").number(region.id).text(",\"team\":").number(region.team.into()).text("}");
        }
        None => _ = line.text("null"),
    }
    let here = thread::known().filter(|_| is_current);
    let former = construct.and_then(|construct| thread::identified(construct.thread)).filter(|_| !is_current);
    let now = here.into_iter().flat_map(|thread| thread.held.newest_first());
    let then = former.into_iter().flat_map(|thread| thread.held.at_former(access.frames()));
    write_mutexes(line, now.chain(then));
    line.text(",\"since\":");
    match here.and_then(|thread| thread.last_synchronisation()) {
        Some((kind, codeptr)) => {
            line.text("{\"kind\":").string(kind.as_bytes()).text(",\"codeptr\":").address(codeptr).text("}");
        }
        None => _ = line.text("null"),
    }
    line.text("}");
}

fn write_mutexes(line: &mut Line, mutexes: impl Iterator<Item = Taken>) {
    line.text(",\"mutexes\":[");
    for (number, taken) in mutexes.enumerate() {
        line.text(if number == 0 { "{\"kind\":" } else { ",{\"kind\":" }).string(taken.kind.word().as_bytes());
        line.text(",\"wait_id\":").address(usize::try_from(taken.wait_id).unwrap_or(0));
        line.text(",\"codeptr\":").address(taken.codeptr).text("}");
    }
    line.text("]");
}

fn write_location(line: &mut Line, location: &Location, accessed: usize, construct: Option<Construct>) {
    // Without symbols ThreadSanitizer doesn't report where a global variable starts.
    let start = if location.start == 0 { accessed } else { location.start };
    line.text("{\"kind\":").string(CStr::to_bytes(location.kind)).text(",\"address\":").address(start);
    line.text(",\"size\":").number(location.size).text(",\"name\":null,\"module\":null,\"stack\":");
    line.addresses(frames(&location.stack)).text(",\"thread\":").number(location.thread);
    let is_accessors = construct.is_some_and(|construct| location.thread_identity() == Some(construct.thread));
    line.text(",\"is_accessors\":").bool(is_accessors).text("}");
}
