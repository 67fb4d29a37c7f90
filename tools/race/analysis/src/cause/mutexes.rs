//! Evidence from mutexes and atomics: one access is protected, or both are by different ones.

use super::directives::{are_in_one_region, by_nowait, directive};
use super::lines::{is_atomic, is_constant, same_place, spins};
use super::tasks::by_task;
use crate::finding::{Finding, Mutex, Side};
use crate::frames::Frame;
use crate::source::{Assignment, Sources, identifiers};

/// Effect of an access's line on the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Reads,
    Writes,
    /// `x += e`, whichever half of it the access is.
    Updates(&'static str),
    /// It may change the variable, and its text doesn't show how.
    Unknown,
}

fn held(mutexes: &[&Mutex]) -> String {
    let names = mutexes.iter().map(|mutex| match mutex.at.as_ref().and_then(Frame::line_name) {
        Some(line) => format!("{} (taken at {line})", kind(&mutex.kind)),
        None => kind(&mutex.kind).to_owned(),
    });
    names.collect::<Vec<_>>().join(" and ")
}

/// A mutex, named as its construct is.
fn kind(mutex: &str) -> &str {
    match mutex {
        "critical" => "a critical section",
        "lock" => "a lock",
        "nest_lock" => "a nestable lock",
        "atomic" => "an atomic construct",
        other => other,
    }
}

/// Mutexes, without the order of an ordered construct: it excludes nothing but the same construct of other iterations.
fn locks(side: &Side) -> Vec<&Mutex> {
    side.mutexes.iter().filter(|mutex| mutex.kind != "ordered").collect()
}

fn is_ordered(side: &Side) -> bool {
    side.mutexes.iter().any(|mutex| mutex.kind == "ordered")
}

fn common_mutex<'a>(one: &'a Side, other: &Side) -> Option<&'a Mutex> {
    one.mutexes.iter().find(|mutex| other.mutexes.iter().any(|its| its.wait_id == mutex.wait_id))
}

/// The mutexes, if the accesses have different ones. `finding.sides[1]` is the earlier access: its mutexes are found by its code, and one
/// that a function takes for its caller is not.
pub(super) fn different_mutexes(finding: &Finding) -> Option<String> {
    let [one, other] = &finding.sides;
    if let Some(mutex) = common_mutex(one, other) {
        let is_alone = are_in_one_region(one, other) && !one.in_team() && !other.in_team();
        return (!is_alone).then(|| format!("both hold {}, which orders the threads of one team only", held(&[mutex])));
    }
    let (now, then) = (one.what(), other.what());
    Some(match [locks(one), locks(other)].each_ref().map(Vec::as_slice) {
        [[], []] if is_ordered(one) == is_ordered(other) => return None,
        [[], []] => {
            let (inside, outside) = if is_ordered(one) { (now, then) } else { (then, now) };
            format!("the {inside} is in an ordered construct, and the {outside} is not known to be in it")
        }
        [mutexes, []] => format!("the {now} holds {}, and no mutex is known to be held by the {then}", held(mutexes)),
        [[], mutexes] => format!("the {then} holds {}, the {now} holds nothing", held(mutexes)),
        [mutexes, others] => format!("the {now} holds {}, the {then} another: {}", held(mutexes), held(others)),
    })
}

/// The access that is protected, and the one that is not, or is by an atomic construct only.
fn guarded_and_plain(finding: &Finding) -> Option<[&Side; 2]> {
    let [one, other] = &finding.sides;
    let by_lock = [one, other].map(|side| !locks(side).is_empty());
    match (by_lock, [one.atomic, other.atomic], [is_ordered(one), is_ordered(other)]) {
        ([true, false], ..) | ([false, false], [true, false], _) => Some([one, other]),
        ([false, true], ..) | ([false, false], [false, true], _) => Some([other, one]),
        ([false, false], _, [true, false]) => Some([one, other]),
        ([false, false], _, [false, true]) => Some([other, one]),
        _ => None,
    }
}

/// True if the access that nothing protects only reads: to exclude it from the others would not make it later than them.
pub(super) fn is_unprotected_read(finding: &Finding) -> bool {
    guarded_and_plain(finding).is_some_and(|[guarded, plain]| effect_of(plain, guarded, finding) == Effect::Reads)
}

/// By the mutex or the atomic construct of one access. An access whose result depends on its order with the other one gets none of them,
/// which would only silence the detector. `None` if neither is protected, or both are in one way.
pub(super) fn by_guard(finding: &Finding, sources: &mut Sources) -> Option<Vec<String>> {
    let [one, other] = &finding.sides;
    if common_mutex(one, other).is_some() {
        return None;
    }
    if ![locks(one), locks(other)].iter().any(Vec::is_empty) {
        let all_critical = one.mutexes.iter().chain(&other.mutexes).all(|mutex| mutex.kind == "critical");
        return Some(vec![match (all_critical, same_place(one, other).then(|| place(one))) {
            (true, None) => "give both critical sections the same name".to_owned(),
            (_, Some(at)) => format!("take the same mutex each time at {at}"),
            (false, None) => "take the same mutex at both places".to_owned(),
        }]);
    }
    let [guarded, plain] = guarded_and_plain(finding)?;
    let effects = (effect_of(plain, guarded, finding), effect_of(guarded, plain, finding));
    let is_enough = match effects {
        (Effect::Reads, of_guarded) => polls(guarded, plain, of_guarded, sources),
        (Effect::Writes, Effect::Updates(_)) => false,
        (Effect::Updates(operator), Effect::Updates(its)) => commute(operator, its),
        _ => true,
    };
    let cure = match is_enough {
        true if !locks(guarded).is_empty() => Some(same_mutex(plain, guarded)),
        true if guarded.atomic => atomic_as_well(plain, guarded, effects.0),
        _ => None,
    };
    Some(cure.map_or_else(|| by_order(finding, sources), |cure| vec![cure]))
}

/// Order that was left out, where that was seen.
fn by_order(finding: &Finding, sources: &mut Sources) -> Vec<String> {
    if finding.sides.iter().any(Side::in_task) {
        return by_task(finding, sources);
    }
    by_nowait(finding, sources).into_iter().collect()
}

fn place(side: &Side) -> String {
    let frame = side.stack.iter().find(|frame| !frame.is_of_system());
    frame.and_then(Frame::line_name).unwrap_or_else(|| "the other place".to_owned())
}

fn same_mutex(plain: &Side, guarded: &Side) -> String {
    match same_place(plain, guarded) {
        true => format!("take the same mutex each time at {}", place(plain)),
        false => format!("take the same mutex around the {} at {}", plain.what(), place(plain)),
    }
}

fn atomic_as_well(plain: &Side, guarded: &Side, effect: Effect) -> Option<String> {
    // The end of a reduction is an atomic access, but no construct that others could have as well.
    let is_reduction = guarded.text.as_deref().and_then(crate::source::directive).is_some();
    let frame = plain.frame().filter(|frame| !frame.is_of_system() && !is_reduction)?;
    let form = match effect {
        Effect::Reads => "atomic read",
        Effect::Writes => "atomic write",
        Effect::Updates(operator) if is_atomic(operator, frame) => "atomic",
        _ => return None,
    };
    Some(format!("{} at {} as well", directive(form, frame), frame.line_name()?))
}

/// True if a read may come at any time: it waits for what the other access writes, or reads in the same loop a flag or what a mutex
/// protects.
fn polls(guarded: &Side, plain: &Side, of_guarded: Effect, sources: &mut Sources) -> bool {
    let Some((write, read)) = guarded.frame().zip(plain.frame()) else { return false };
    let is_flag = guarded.assignment().is_some_and(|assignment| is_constant(&assignment.value));
    let is_meant = match of_guarded {
        Effect::Writes => is_flag,
        Effect::Unknown => !locks(guarded).is_empty(),
        _ => false,
    };
    if !is_meant || guarded.in_task() != plain.in_task() || write.function != read.function {
        return false;
    }
    let Some(function) = sources.function(write).filter(|_| write.file == read.file) else { return false };
    let is_for_others = function.one_thread(write.line).is_some();
    !is_for_others && (spins(plain, guarded) || function.have_common_loop(write.line, read.line))
}

fn commute(one: &str, other: &str) -> bool {
    one == other || [one, other].iter().all(|operator| ["+", "-"].contains(operator))
}

fn effect_of(side: &Side, other: &Side, finding: &Finding) -> Effect {
    let assignment = side.in_line().filter(|it| is_about(finding, it, other));
    match assignment {
        Some(Assignment { update: Some(operator), .. }) => Effect::Updates(operator),
        Some(_) if side.write => Effect::Writes,
        _ if side.write || steps(side, finding) => Effect::Unknown,
        _ => Effect::Reads,
    }
}

/// True if an assignment is one to the variable.
fn is_about(finding: &Finding, assignment: &Assignment, other: &Side) -> bool {
    match &finding.variable.name {
        Some(name) => identifiers(name).any(|part| part.eq_ignore_ascii_case(&assignment.variable)),
        None => other.in_line().is_none_or(|it| it.variable == assignment.variable),
    }
}

/// True if a line increments or decrements the variable somewhere: `list[n++] = e`.
fn steps(side: &Side, finding: &Finding) -> bool {
    let text: String = side.text.iter().flat_map(|text| text.chars()).filter(|c| !c.is_whitespace()).collect();
    let name = finding.variable.name.as_deref().unwrap_or_default();
    identifiers(name).any(|name| {
        ["++", "--"]
            .iter()
            .any(|sign| text.contains(&format!("{name}{sign}")) || text.contains(&format!("{sign}{name}")))
    })
}
