//! Evidence from mutexes and atomics: one access is protected, or both are by different ones.

use super::directives::directive;
use crate::finding::Side;
use crate::frames::Frame;

fn held(side: &Side) -> String {
    let names = side.mutexes.iter().map(|mutex| match mutex.at.as_ref().and_then(Frame::line_name) {
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
        "ordered" => "an ordered construct",
        other => other,
    }
}

fn have_common_mutex(one: &Side, other: &Side) -> bool {
    one.mutexes.iter().any(|mutex| other.mutexes.iter().any(|its| its.wait_id == mutex.wait_id))
}

pub(super) fn different_mutexes(one: &Side, other: &Side) -> Option<String> {
    Some(match (one.mutexes.is_empty(), other.mutexes.is_empty()) {
        (true, true) => return None,
        (false, false) => {
            format!("the {} holds {}, the {} another: {}", one.what(), held(one), other.what(), held(other))
        }
        (false, true) => format!("the {} holds {}, the {} holds nothing", one.what(), held(one), other.what()),
        (true, false) => format!("the {} holds {}, the {} holds nothing", other.what(), held(other), one.what()),
    })
}

pub(super) fn by_mutex(one: &Side, other: &Side) -> Option<String> {
    let place = |side: &Side| side.frame().and_then(Frame::line_name).unwrap_or_else(|| "the other place".to_owned());
    Some(match (one.mutexes.is_empty(), other.mutexes.is_empty()) {
        (true, true) => return None,
        (false, true) => format!("take the same mutex around the {} at {}", other.what(), place(other)),
        (true, false) => format!("take the same mutex around the {} at {}", one.what(), place(one)),
        (false, false) if have_common_mutex(one, other) => return None,
        (false, false) if one.mutexes.iter().chain(&other.mutexes).all(|mutex| mutex.kind == "critical") => {
            "give both critical sections the same name".to_owned()
        }
        (false, false) => "take the same mutex at both places".to_owned(),
    })
}

pub(super) fn by_atomic(one: &Side, other: &Side) -> Option<String> {
    let plain = match (one.atomic, other.atomic) {
        (true, false) => other,
        (false, true) => one,
        _ => return None,
    };
    let frame = plain.frame()?;
    let form = if plain.write && plain.assignment().is_none_or(|assignment| assignment.update.is_none()) {
        "atomic write"
    } else if plain.write {
        "atomic"
    } else {
        "atomic read"
    };
    Some(format!("{} at {} as well", directive(form, frame), frame.line_name()?))
}
