//! Reasons why events of a loaded runtime are missing.

use std::path::Path;

use terminal::printable::Shown;

use crate::findings::{Effect, Findings};
use crate::runtime::Kind;

/// Number of libgomps loaded later than the program that the adapter serves at a time.
const SERVED_AT_A_TIME: usize = 7;

/// Adds the reason if a process has more libgomps than are served. `private`: those that it did not start with.
pub(crate) fn too_many(private: usize, findings: &mut Findings) {
    if private > SERVED_AT_A_TIME && !findings.has("private_runtime") {
        findings.likely(
            "private_runtime",
            Effect::HidesPart,
            format!("{private} libgomps were loaded by libraries: {SERVED_AT_A_TIME} are served at a time, the others called directly"),
            "let libraries share one: start the program with LD_PRELOAD=libgomp.so.1, too",
        );
    }
}

/// Adds the reason if a runtime loaded late has found a tool other than the library.
pub(crate) fn has_other_tool(kind: Kind, tool: &Path, effect: Effect, findings: &mut Findings) {
    findings.reason(
        "tool_before_library",
        effect,
        format!(
            "{} was loaded after the program's start, and uses the tool in {} as its own: its events don't reach libora.so",
            kind.name(),
            tool.shown()
        ),
        "link the program with that runtime, so that it is loaded at the start; or take the tool out of the program",
    );
}

/// Adds the reason if `OMP_TOOL` prevents a runtime with its own OMPT from asking for its tool.
pub(crate) fn silenced(kind: Kind, path: &Path, effect: Effect, findings: &mut Findings) {
    if !findings.has("omp_tool_disabled") {
        findings.reason(
            "omp_tool_disabled",
            effect,
            format!(
                "OMP_TOOL=disabled is set: {} ({}) asks for no tool then, and libora.so gets its events as its tool only",
                kind.name(),
                path.shown()
            ),
            "unset it: `env -u OMP_TOOL ora stat -- PROGRAM`",
        );
    }
}
