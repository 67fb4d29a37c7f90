//! Static loops and implicit barriers that gcc compiles into a program, as far as its files tell them.

use std::path::Path;
use std::time::Duration;

use linking::image::Image;
use symbols::{Files, InlinedCalls};
use terminal::printable::Shown;
use terminal::quantity::count;

use crate::events::BY_OPARI;
use crate::findings::Findings;
use crate::object::Object;

/// Processor time for the search in all files.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Says what is known of the loops in a program and in the libraries that were loaded with it.
pub(crate) fn look(path: &Path, image: &Image, objects: &[Object], findings: &mut Findings) {
    let files = Files::default().with_time(MAX_TIME);
    let libraries = objects.iter().filter(|object| object.runtime.is_none() && !object.ours);
    let libraries = libraries.map(|object| (object.path.as_path(), &object.image));
    let mut seen = Vec::new();
    for (path, image) in [(path, image)].into_iter().chain(libraries).filter(|(_, image)| image.calls("GOMP_")) {
        if seen.contains(&path) {
            continue;
        }
        seen.push(path);
        let calls = files.inlined_calls(path);
        let says = calls.and_then(|calls| said(&calls, files.build_id(path).is_some()));
        // OPARI's calls report them also without debug information.
        let says = says.map(|says| if is_instrumented(image) { format!("reported {BY_OPARI}") } else { says });
        if let Some(says) = says {
            let name = path.file_name().unwrap_or_default().shown();
            findings.fact("loops", format!("{name}: {says}"));
        }
    }
}

/// True if OPARI has instrumented the code, in C or in Fortran.
pub(crate) fn is_instrumented(image: &Image) -> bool {
    image.calls("POMP2_") || image.calls("pomp2_")
}

/// Text about the calls of one file; `None` if it has neither loops nor barriers of that kind.
fn said(calls: &InlinedCalls, has_build_id: bool) -> Option<String> {
    let barriers = calls.known.iter().filter(|call| call.site.kind.is_barrier()).count();
    let loops = calls.known.len() - barriers;
    if calls.known.is_empty() && calls.other_pairs + calls.other_barriers == 0 {
        return None;
    }
    if !has_build_id {
        return Some(
            "no build ID: static loops are not reported, and their ends count as explicit barriers. Link it with \
             -Wl,--build-id"
                .to_owned(),
        );
    }
    let numbers = [
        (loops as u64, count(loops as u64, "static loop", "static loops")),
        (barriers as u64, count(barriers as u64, "implicit barrier", "implicit barriers")),
    ];
    let numbers: Vec<String> = numbers.into_iter().filter(|(number, _)| *number > 0).map(|(_, text)| text).collect();
    let known = match (numbers.is_empty(), calls.known.len()) {
        (true, _) => "no static loop or implicit barrier of gcc's code is known".to_owned(),
        (false, 1) => format!("{} of gcc's code is known", numbers.concat()),
        (false, _) => format!("{} of gcc's code are known", numbers.join(" and ")),
    };
    let others = count(
        (calls.other_pairs + calls.other_barriers) as u64,
        "other call is the program's own, or cannot be distinguished",
        "other calls are the program's own, or cannot be distinguished",
    );
    Some(match (calls.has_lines, calls.has_sources) {
        (false, _) if loops > 0 => {
            format!("{known}; without debug information (-g) the ends of loops count as explicit barriers")
        }
        (false, _) => "no debug information: static loops are not reported, and their ends count as explicit \
                       barriers. Compile it with -g"
            .to_owned(),
        (true, false) => {
            format!(
                "{known}; {others}. Without its source files, implicit and explicit barriers cannot be distinguished"
            )
        }
        (true, true) if calls.other_pairs + calls.other_barriers == 0 => known,
        (true, true) => format!("{known}; {others}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use call_sites::{Kind, Site};
    use symbols::Inlined;

    #[test]
    fn what_is_missing_and_how_to_get_it_is_said_of_each_file() {
        let call = |address, kind| Inlined { site: Site { address, kind }, place: None };
        let known = vec![call(1, Kind::Loop), call(2, Kind::LoopEnd), call(3, Kind::SingleEnd)];
        let all = InlinedCalls {
            known,
            other_barriers: 1,
            other_pairs: 0,
            has_lines: true,
            has_sources: true,
            is_cut_short: false,
        };
        let nothing = InlinedCalls { known: Vec::new(), ..all.clone() };
        let unknown = nothing.clone();
        let fortran = InlinedCalls { known: vec![call(1, Kind::Loop)], has_lines: false, ..all.clone() };
        for (calls, has_build_id, expected) in [
            (&all, true, "1 static loop and 2 implicit barriers of gcc's code are known; 1 other call is"),
            (
                &InlinedCalls { other_barriers: 0, ..all.clone() },
                true,
                "1 static loop and 2 implicit barriers of gcc's code are known",
            ),
            (&InlinedCalls { has_sources: false, ..all.clone() }, true, "Without its source files"),
            (
                &InlinedCalls { has_lines: false, ..nothing },
                true,
                "no debug information: static loops are not reported",
            ),
            (&fortran, true, "1 static loop of gcc's code is known; without debug information (-g)"),
            (&unknown, true, "no static loop or implicit barrier of gcc's code is known; 1 other call is"),
            (&all, false, "-Wl,--build-id"),
        ] {
            let says = said(calls, has_build_id).unwrap();
            assert!(says.contains(expected), "{says}");
        }
        assert_eq!(said(&InlinedCalls::default(), true), None);
    }
}
