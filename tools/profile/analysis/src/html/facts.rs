//! Facts of a view: settings, machine, runtimes, quality of the samples, and how to get the data.

use page::{Cell, Part, Quantity, Table, View};
use terminal::quantity::count;

use super::Scope;
use crate::describe;
use crate::profile::ProcessFacts;
use crate::report::Report;
use crate::text::{notes, samples};

/// Adds the facts of a view.
pub(super) fn add(view: &mut View, scope: &Scope<'_>) {
    let profile = scope.basis.profile;
    let processes: Vec<&ProcessFacts> = match scope.process {
        Some(number) => profile.processes.get(number as usize).into_iter().collect(),
        None => profile.processes.iter().collect(),
    };
    let Some(first) = processes.first() else { return };
    view.name = match scope.process {
        None => "all processes".to_owned(),
        Some(_) => format!("{}: {}", first.name(), first.facts.name()),
    };
    view.about = vec![
        Quantity::Time(scope.length_ns as f64),
        count(processes.len() as u64, "process", "processes").into(),
        count(scope.threads().len() as u64, "thread", "threads").into(),
    ];
    view.about.extend(first.facts.host.clone().map(|host| format!("on {host}").into()));
    view.fact("command", first.facts.name());
    view.fact("machine", first.facts.host.clone().unwrap_or_default());
    for used in &first.runtimes_used {
        view.fact("OpenMP runtime", used.path.clone().unwrap_or_default());
    }
    if let Some(processors) = first.facts.processors {
        view.fact("processors allowed", Quantity::Count(processors.into()));
    }
    if let Some(quota) = first.facts.quota {
        view.fact("quota of processors", Quantity::Number(quota));
    }
    for (name, value) in &first.facts.environment {
        view.fact(name, value.clone());
    }
    view.fact("samples", samples(profile));
    let cpu_ns = scope.samples().map(|point| point.cpu_ns).fold(0, u64::saturating_add);
    view.fact("CPU time of the samples", Quantity::Time(cpu_ns as f64));
    view.fact("ora", env!("CARGO_PKG_VERSION"));
    view.notes = notes(&profile.processes, profile.samples.len() as u64);
    view.exports = [
        ("ora report DIR", "the same as text"),
        ("ora report DIR --json -o FILE", "all figures as JSON"),
        ("ora report DIR --perfetto FILE", "samples for ui.perfetto.dev"),
        ("ora report DIR --firefox FILE", "samples for profiler.firefox.com"),
        ("ora report DIR --folded FILE", "stacks, one a line"),
        ("ora report DIR --parquet DIR", "samples, regions and waits as tables"),
    ]
    .map(|(command, what)| (command.to_owned(), what.to_owned()))
    .to_vec();
}

/// Functions of threads outside of OpenMP.
pub(super) fn outside(report: &Report<'_>) -> Option<Table> {
    let outside = &report.outside;
    let row = |(function, amount): &(u32, crate::metrics::Amount)| {
        let name = report.profile.code.function(*function).map_or_else(String::new, describe::function);
        let [all, cpu] = [amount.total_ns(), amount.cpu_ns].map(|ns| Quantity::Time(ns as f64).into());
        vec![Cell::from(name), all, cpu, Quantity::Count(amount.samples).into()]
    };
    (!outside.functions.is_empty()).then(|| Table {
        part: Part::Where,
        title: "Threads outside of OpenMP",
        note: "They are in no team, and in none of the figures above.",
        heads: ["function", "time", "CPU time", "samples"].map(str::to_owned).to_vec(),
        rows: outside.functions.iter().take(200).map(row).collect(),
    })
}
