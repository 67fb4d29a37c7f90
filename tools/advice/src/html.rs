//! A finding on a page for browsers.

use crate::finding::{Finding, HowKnown};

impl Finding {
    /// The finding as a page shows it, with its cost as a fraction of the threads' time, and its savings as a
    /// fraction of the wall time.
    pub fn on_page(&self, wall_ns: f64, all_ns: f64) -> page::Finding {
        let saves_ns = self.saves_ns.filter(|ns| *ns < wall_ns && self.how_known != HowKnown::Unknown);
        page::Finding {
            what: self.what.clone(),
            fix: self.fix.clone(),
            key: self.place.as_ref().map_or_else(String::new, |place| place.name.clone()),
            cost: if all_ns > 0.0 { (self.costs_ns / all_ns).clamp(0.0, 1.0) } else { 0.0 },
            saves_ns,
            saves: saves_ns.map_or(0.0, |ns| ns / wall_ns.max(1.0)),
            how_known: self.how_known.word(),
        }
    }
}
