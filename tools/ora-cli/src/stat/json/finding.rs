//! One finding.

use advice::Finding;
use serde::Serialize;

/// A finding, as `stat-json.md` describes it.
#[derive(Serialize)]
pub(crate) struct OneFinding {
    id: &'static str,
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    what: String,
    fix: String,
    costs_ns: f64,
    saves_ns: Option<f64>,
    how_known: &'static str,
}

/// The parts of `finding`.
pub(crate) fn one_finding(finding: Finding) -> OneFinding {
    let place = finding.place.unwrap_or_default();
    OneFinding {
        id: finding.id,
        function: place.function,
        file: place.file,
        line: place.line,
        what: finding.what,
        fix: finding.fix,
        costs_ns: finding.costs_ns,
        saves_ns: finding.saves_ns,
        how_known: finding.how_known.word(),
    }
}
