//! A finding in JSON, as `stat-json.md` describes it.

use serde::{Serialize, Serializer};

use crate::finding::Finding;

#[derive(Serialize)]
struct OneFinding<'a> {
    id: &'a str,
    function: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<u32>,
    what: &'a str,
    fix: &'a str,
    costs_ns: f64,
    saves_ns: Option<f64>,
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
