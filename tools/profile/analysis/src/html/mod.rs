//! The page for browsers.

mod answer;
mod basis;
mod facts;
mod lanes;
mod lines;
mod rows;
mod stacks;
#[cfg(test)]
mod tests;
mod timeline;

use page::{Document, Finding, View};
use symbols::source::Sources;

use crate::describe;
use crate::profile::{Point, ThreadFacts};
use crate::report::Report;

pub use answer::without_processor;
pub use basis::Basis;
pub use lanes::of_samples as lanes;
pub use lanes::states;
pub use rows::{Places, Sampled};

/// Maximum number of processes with a view of their own.
const MAX_VIEWS: usize = 32;
/// Maximum number of rows of all views.
const MAX_ROWS: usize = 2000;

/// Samples of a page's view. Times are by the profile's clock.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'p> {
    /// The profile, with the sums that all views need.
    pub basis: &'p Basis<'p>,
    /// Index of the process. `None`: all of them.
    pub process: Option<u32>,
    /// Start of what is shown.
    pub begin_ns: u64,
    /// Length of what is shown.
    pub length_ns: u64,
    /// Number of views that share the page's limits.
    pub views: usize,
}

impl<'p> Scope<'p> {
    fn of(basis: &'p Basis<'p>, process: Option<u32>, views: usize) -> Self {
        let profile = basis.profile;
        let one = process.and_then(|number| profile.processes.get(number as usize));
        let (begin_ns, end_ns) = one.map_or_else(|| profile.span_ns(), |one| (one.begun_ns, one.ended_ns));
        Self { basis, process, begin_ns, length_ns: end_ns.saturating_sub(begin_ns), views }
    }

    /// Samples of threads that take part in OpenMP.
    pub(crate) fn samples(&self) -> impl Iterator<Item = &'p Point> {
        let profile = self.basis.profile;
        self.process.map_or(&profile.samples[..], |process| profile.samples_of(process)).iter()
    }

    /// Threads of the view.
    pub(crate) fn threads(&self) -> &'p [ThreadFacts] {
        let profile = self.basis.profile;
        self.process.map_or(&profile.threads[..], |process| profile.threads_of(process))
    }

    /// Time since the start at which a sample's time began.
    pub(crate) fn since(&self, point: &Point) -> u64 {
        point.at_ns.saturating_sub(self.begin_ns).min(self.length_ns).saturating_sub(point.wall_ns)
    }

    /// The constructs with samples, and the lines at which they are: `heat.c:10`.
    pub fn construct_places(&self) -> Vec<(u32, String)> {
        let code = &self.basis.profile.code;
        let place = |number: u32| {
            let (construct, _) = code.construct(number)?;
            Some((number, describe::place(construct.file.as_deref(), construct.line)))
        };
        self.basis.regions.iter().filter_map(|region| place(region.construct)).collect()
    }

    /// Maximum number of rows of the view.
    fn max_rows(&self) -> usize {
        (MAX_ROWS / self.views.max(1)).max(50)
    }
}

/// The page of a profile.
pub fn document(report: &Report<'_>, sources: &mut Sources) -> Document {
    let profile = report.profile;
    let name = profile.processes.first().map_or_else(String::new, |process| process.facts.name());
    let several = profile.processes.len() > 1;
    let lived = profile.processes.iter().map(|process| process.ended_ns.saturating_sub(process.begun_ns));
    let chosen = with_views(lived);
    let views = if several { 1 + chosen.len() } else { 1 };
    let basis = Basis::of(profile, &report.regions);
    let mut all = vec![view(report, &Scope::of(&basis, (!several).then_some(0), views), sources)];
    if several {
        all.extend(chosen.into_iter().map(|number| view(report, &Scope::of(&basis, Some(number), views), sources)));
        note_left_out(&mut all, views - 1, profile.processes.len());
    }
    Document { title: format!("Profile of {name}"), views: all, chart: None }
}

/// The processes, by the lengths of their lives, that have a view of their own: those that lived longest, in their order.
pub fn with_views(lived: impl Iterator<Item = u64>) -> Vec<u32> {
    let mut order: Vec<(u32, u64)> = (0..).zip(lived).collect();
    order.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    order.truncate(MAX_VIEWS);
    order.sort_unstable();
    order.into_iter().map(|(number, _)| number).collect()
}

/// Adds a note if only `shown` of the processes have a view of their own.
pub fn note_left_out(views: &mut [View], shown: usize, processes: usize) {
    if let Some(first) = views.first_mut().filter(|_| shown < processes) {
        first
            .notes
            .push(format!("{shown} of {processes} processes have a view of their own: those that lived longest"));
    }
}

/// The view of one process, without findings.
pub fn process(scope: &Scope<'_>, sources: &mut Sources) -> View {
    let mut view = View::default();
    let sampled = Sampled::of(scope, Places::of_constructs(scope), sources);
    view.total_ns = sampled.total_ns;
    view.tiles = answer::tiles(scope, &sampled);
    facts::add(&mut view, scope);
    if scope.process.is_some() {
        view.timeline = Some(timeline::of(scope));
    }
    (view.rows, view.lines, view.stacks) = (sampled.rows, sampled.lines, Some(sampled.stacks));
    view
}

fn view(report: &Report<'_>, scope: &Scope<'_>, sources: &mut Sources) -> View {
    let mut view = process(scope, sources);
    let is_whole = scope.process.is_none() || scope.basis.profile.processes.len() == 1;
    if is_whole {
        let on_page = |finding: &advice::Finding| finding.on_page(report.wall_ns, report.sums.total.total_ns() as f64);
        view.findings = report.findings.iter().map(on_page).collect::<Vec<Finding>>();
        view.silence = answer::silence(report);
        view.tables.extend(facts::outside(report));
    }
    view
}
