//! The page for browsers: a view for each process, or for the longest ones if there are many.

mod answer;
mod facts;
mod rows;
mod states;
mod tables;
mod tasks;
mod timeline;

use page::{Document, View};
use profile_analysis::html::{Basis, Places, Sampled, Scope, note_left_out, with_views};
use profile_analysis::metrics;
use symbols::source::Sources;

use crate::cause::Causes;
use crate::{Samples, Timeline, waits_by_place};

/// The page of the processes of a trace, with their samples.
pub fn document(timelines: &[Timeline], samples: Option<&Samples<'_>>, sources: &mut Sources) -> Document {
    let regions = samples
        .map_or_else(Vec::new, |samples| metrics::regions(samples.profile(), &metrics::Sums::of(samples.profile())));
    let basis = samples.map(|samples| Basis::of(samples.profile(), &regions));
    let chosen = with_views(timelines.iter().map(|timeline| timeline.end_ns.saturating_sub(timeline.begin_ns)));
    let view = |timeline| {
        let scope =
            samples.zip(basis.as_ref()).and_then(|(samples, basis)| scope(timeline, samples, basis, chosen.len()));
        view(timeline, scope.as_ref(), chosen.len(), sources)
    };
    let mut views: Vec<View> = chosen.iter().filter_map(|number| timelines.get(*number as usize)).map(view).collect();
    note_left_out(&mut views, chosen.len(), timelines.len());
    let title = timelines.first().map_or_else(String::new, |timeline| timeline.facts.name());
    Document { title: format!("Trace of {title}"), views, chart: None }
}

/// The samples of a timeline's process, by the profile's clock.
fn scope<'p>(timeline: &Timeline, samples: &Samples<'_>, basis: &'p Basis<'p>, views: usize) -> Option<Scope<'p>> {
    let process = samples.number(timeline)?;
    let begin_ns = timeline.facts.real_ns(timeline.begin_ns);
    let length_ns = timeline.end_ns.saturating_sub(timeline.begin_ns);
    Some(Scope { basis, process: Some(process), begin_ns, length_ns, views })
}

/// The view of a process, one of `views` views.
fn view(timeline: &Timeline, scope: Option<&Scope<'_>>, views: usize, sources: &mut Sources) -> View {
    if let Some(scope) = scope.filter(|_| timeline.counts.events == 0) {
        return facts::named(profile_analysis::html::process(scope, sources), timeline);
    }
    let causes = Causes::of(timeline);
    let waits = waits_by_place::of(timeline);
    let mut regions = rows::regions(timeline);
    let mut view = View { total_ns: rows::total_ns(timeline), ..View::default() };
    let lanes = states::lanes(timeline);
    view.tiles = answer::tiles(timeline, scope, &lanes, &waits);
    answer::add_findings(&mut view, timeline);
    view.timeline = Some(timeline::of(timeline, &causes, &lanes, views));
    match scope {
        Some(scope) => {
            let places = Places { of_construct: rows::constructs(&regions, scope), rows: regions, are_timed: true };
            let sampled = Sampled::of(scope, places, sources);
            (view.rows, view.lines, view.stacks) = (sampled.rows, sampled.lines, Some(sampled.stacks));
        }
        None => {
            view.lines = rows::directives(&mut regions, sources);
            view.rows = regions;
        }
    }
    view.rows.extend(rows::outside(timeline));
    view.tables = tables::of(timeline, &causes, &waits);
    view.tasks = Some(tasks::of(timeline));
    facts::add(&mut view, timeline);
    view
}
