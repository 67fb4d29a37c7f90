//! A finding in JSON, as `stat-json.md` describes it.

use serde::{Serialize, Serializer};

use crate::finding::Finding;

/// A finding.
///
/// A finding is here if a fix would save at least 1 % of the wall time.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneFinding<'a> {
    /// The rule, a word of the table below.
    id: &'a str,
    /// The region's function, as in `regions`; `null`: it is not about one region, or its place is unknown.
    function: Option<&'a str>,
    /// Its source file.
    file: Option<&'a str>,
    /// Its line.
    line: Option<u32>,
    /// The evidence, as the table has it.
    what: &'a str,
    /// The remedy, as the table has it.
    fix: &'a str,
    /// The time of threads that it takes.
    costs_ns: f64,
    /// The wall time that a fix would save; `null`: the figures don't tell.
    saves_ns: Option<f64>,
    /// Origin of `saves_ns`. `"measured"`: a sum of measured differences; `"estimated"`: it follows from
    /// measured times, if all threads share them evenly after the fix; `"unknown"`.
    how_known: &'a str,
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = self.place.as_ref();
        let one = OneFinding {
            id: self.id,
            function: place.and_then(|place| place.function.as_deref()),
            file: place.and_then(|place| place.file.as_deref()),
            line: place.and_then(|place| place.line),
            what: &self.what,
            fix: &self.fix,
            costs_ns: self.costs_ns,
            saves_ns: self.saves_ns,
            how_known: self.how_known.word(),
        };
        one.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current_part::<OneFinding<'_>>("finding", "stat-json.md");
    }
}
