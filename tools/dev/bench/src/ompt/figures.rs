//! Computation of the cost of an event or a query from the measured times.

use super::Report;
use super::way::{Interface, Way};
use crate::samples::Samples;

/// Cost by the best rounds, by the median of all rounds, and in instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) best: f64,
    pub(crate) median: f64,
    pub(crate) instructions: Option<f64>,
}

impl Figure {
    fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self { best: change(self.best), median: change(self.median), instructions: self.instructions.map(change) }
    }
}

/// Difference of a row between two ways. Rounds are compared one by one.
pub(crate) fn over(report: &Report, row: &str, way: Way, base: Way) -> Option<Figure> {
    let (times, counts) = (&report.constructs, &report.construct_instructions);
    Some(Figure {
        best: times.best(row, way)? - times.best(row, base)?,
        median: times.paired(row, way, base, |a, b| a - b)?,
        instructions: counts.best(row, way).zip(counts.best(row, base)).map(|(a, b)| a - b),
    })
}

/// Number of the row's events that one construct reports to a tool of an interface.
pub(crate) fn events(report: &Report, row: &str, interface: Interface) -> Option<f64> {
    report.events.best(row, interface.callback())
}

/// Cost of each of the row's events over a tool that has registered nothing. `None` if there are no events.
pub(crate) fn event(report: &Report, row: &str, interface: Interface) -> Option<Figure> {
    let events = events(report, row, interface).filter(|events| *events > 0.0)?;
    Some(over(report, row, interface.callback(), interface.attached())?.map(|cost| cost / events))
}

/// True if a tool of an interface gets as many events for the row's construct as a tool on LLVM's runtime. Otherwise the costs can't be
/// compared.
pub(crate) fn is_comparable(report: &Report, row: &str, interface: Interface) -> bool {
    let (here, native) = (events(report, row, interface), events(report, row, Interface::Native));
    here.zip(native).is_some_and(|(here, native)| native > 0.0 && (here - native).abs() < 0.01)
}

/// Cost of a query.
pub(crate) fn query_cost(report: &Report, row: &str, interface: Interface) -> Option<Figure> {
    let value = |samples: &Samples<Way>, middle: bool| {
        let way = interface.attached();
        if middle { samples.median(row, way) } else { samples.best(row, way) }
    };
    Some(Figure {
        best: value(&report.queries, false)?,
        median: value(&report.queries, true)?,
        instructions: value(&report.query_instructions, false),
    })
}

/// Report with one row, "work loop", for tests: `ours` events on libgomp, 2 on LLVM's runtime.
#[cfg(test)]
pub(crate) fn sample(ours: f64) -> Report {
    let mut report = Report {
        clang: "clang".to_owned(),
        libomp: None,
        rounds: 3,
        batches: 1,
        events: Samples::default(),
        constructs: Samples::default(),
        queries: Samples::default(),
        construct_instructions: Samples::default(),
        query_instructions: Samples::default(),
    };
    let row = "work loop";
    for (way, events) in [(Way::Callback, ours), (Way::Tr2Callback, 2.0), (Way::NativeCallback, 2.0)] {
        report.events.add(row, way, events);
    }
    for disturbed in [0.0, 100.0, 10.0] {
        for (way, ns) in [
            (Way::Bare, 20.0),
            (Way::Attached, 24.0),
            (Way::Callback, 30.0),
            (Way::Tr2Attached, 25.0),
            (Way::Tr2Callback, 39.0),
            (Way::NativeBare, 40.0),
            (Way::NativeAttached, 44.0),
            (Way::NativeCallback, 52.0),
        ] {
            report.constructs.add(row, way, ns + disturbed);
        }
    }
    for (way, instructions) in
        [(Way::Attached, 100.0), (Way::Callback, 140.0), (Way::NativeAttached, 90.0), (Way::NativeCallback, 120.0)]
    {
        report.construct_instructions.add(row, way, instructions);
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_costs_its_share_of_what_callbacks_add_to_a_tool_without_any() {
        let report = sample(2.0);
        let ours = event(&report, "work loop", Interface::Ours).unwrap();
        assert_eq!(ours, Figure { best: 3.0, median: 3.0, instructions: Some(20.0) });
        let tr2 = event(&report, "work loop", Interface::Tr2).unwrap();
        assert_eq!(tr2, Figure { best: 7.0, median: 7.0, instructions: None });
        assert_eq!(over(&report, "work loop", Way::Callback, Way::Bare).map(|cost| cost.best), Some(10.0));
    }

    #[test]
    fn only_equal_counts_are_compared() {
        assert!(is_comparable(&sample(2.0), "work loop", Interface::Ours));
        assert!(!is_comparable(&sample(3.0), "work loop", Interface::Ours));
        assert!(is_comparable(&sample(3.0), "work loop", Interface::Tr2));
        assert!(!is_comparable(&sample(2.0), "work single", Interface::Ours), "nothing was counted");
        let silent = sample(0.0);
        assert_eq!(event(&silent, "work loop", Interface::Ours), None);
    }
}
