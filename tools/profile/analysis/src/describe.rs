//! Descriptions of frames, functions and regions for people.

use crate::metrics::WaitPlace;
use crate::profile::{Code, Frame, Function};
use symbols::{self, ConstructKind, short};

/// Formats a place as `foo.c:17`; empty if unknown.
pub(crate) fn place(file: Option<&str>, line: u32) -> String {
    match (file, line) {
        (Some(file), 0) => short(file).to_owned(),
        (Some(file), line) => format!("{}:{line}", short(file)),
        (None, _) => String::new(),
    }
}

/// Describes a function, distinguished from others of its name.
pub(crate) fn function(function: &Function) -> String {
    let from = function.file.as_deref().map_or(function.object.as_str(), short);
    if from.is_empty() || function.name.starts_with(from) {
        function.name.clone()
    } else {
        format!("{}  [{from}]", function.name)
    }
}

/// Describes a frame: `foo at foo.c:17`, or `foo, end of the loop at foo.c:15` for the barrier of the loop.
fn frame(frame: &Frame, function: &Function) -> String {
    if let Some(end) = &frame.ends {
        return format!("{}, {end}", function.name);
    }
    match place(frame.file.as_deref(), frame.line) {
        place if place.is_empty() => function.name.clone(),
        place => format!("{} at {place}", function.name),
    }
}

/// Describes the construct of an outlined function: `parallel region at foo.c:17`.
pub(crate) fn body(construct: &symbols::Construct) -> String {
    let kind = match construct.kind {
        ConstructKind::Parallel => "parallel region",
        ConstructKind::Task => "task",
        ConstructKind::Other => "construct",
    };
    match (place(construct.file.as_deref(), construct.line), &construct.call) {
        (place, Some(call)) if place.is_empty() => format!("{kind} at {call}"),
        (place, _) if place.is_empty() => kind.to_owned(),
        (place, _) => format!("{kind} at {place}"),
    }
}

/// Describes a region: `foo at foo.c:17`.
pub(crate) fn region(code: &Code, number: u32) -> String {
    let Some((construct, function)) = code.construct(number) else { return "(unknown)".to_owned() };
    match (place(construct.file.as_deref(), construct.line), construct.address) {
        (place, None) if !place.is_empty() => format!("{} at {place}", function.name),
        (_, Some(address)) if !function.object.is_empty() => {
            let call = format!("{}+{address:#x}", function.object);
            // For a function without a name, the address of the call is more informative.
            if function.name.starts_with(&function.object) { call } else { format!("{} ({call})", function.name) }
        }
        _ => function.name.clone(),
    }
}

/// Describes the place of a wait.
pub(crate) fn wait_place(code: &Code, place: WaitPlace) -> String {
    match place {
        WaitPlace::Region(number) => match code.construct(number) {
            Some((_, function)) if function.is_pseudo() => the_region(code, number),
            _ => format!("the region {}", region(code, number)),
        },
        WaitPlace::Frame(number) => code.frame(number).map_or_else(String::new, |(at, function)| frame(at, function)),
    }
}

/// Describes a region within a sentence: `the region at foo.c:17`, else its function.
pub(crate) fn the_region(code: &Code, number: u32) -> String {
    let Some((construct, function)) = code.construct(number) else { return "a region".to_owned() };
    match place(construct.file.as_deref(), construct.line) {
        place if construct.line > 0 && !place.is_empty() => format!("the region at {place}"),
        _ if function.is_pseudo() => function.name.trim_matches(['<', '>']).to_owned(),
        _ => format!("the region {}", region(code, number)),
    }
}
