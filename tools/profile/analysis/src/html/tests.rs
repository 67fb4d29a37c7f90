//! Tests of the page's content, on the program of the sums' tests.

use profile_format::Record;
use profile_format::simulated::Simulated;

use page::{Activity, Kind, Row, View};
use symbols::source::Sources;

use super::{MAX_VIEWS, document};
use crate::metrics::tests::{of_processes, profile, program};
use crate::report::Report;
use crate::user_model;

/// Milliseconds of a sample.
const SAMPLE_NS: u64 = 10_000_000;

fn view() -> View {
    view_of(&program())
}

fn view_of(file: &Simulated) -> View {
    let profile = profile(file, user_model::View::User);
    let mut document = document(&Report::of(&profile), &mut Sources::default());
    assert!(document.title.starts_with("Profile of "), "{}", document.title);
    assert_eq!(document.views.len(), 1, "a process has one view");
    document.views.remove(0)
}

fn row<'v>(view: &'v View, kind: Kind, name: &str) -> &'v Row {
    view.rows
        .iter()
        .find(|row| row.kind == kind && row.name == name)
        .unwrap_or_else(|| panic!("{name}: {:#?}", view.rows))
}

fn part(row: &Row, activity: Activity) -> u64 {
    row.parts[activity as usize] / SAMPLE_NS
}

#[test]
fn regions_and_the_code_outside_of_them_are_all_of_the_time() {
    let view = view();
    assert_eq!(view.total_ns, 10 * SAMPLE_NS);
    let outer = view.rows.iter().filter(|row| row.kind != Kind::Function).map(|row| row.ns).sum::<u64>();
    assert_eq!(outer, view.total_ns);
    let (foo, outside) = (row(&view, Kind::Region, "foo"), row(&view, Kind::Outside, "code outside of regions"));
    assert_eq!((foo.ns / SAMPLE_NS, part(foo, Activity::Work), foo.place.as_str()), (6, 4, "foo.c:11"));
    let waits = part(foo, Activity::Imbalance) + part(foo, Activity::Waits) + part(foo, Activity::NoProcessor);
    assert_eq!(waits, 2, "{foo:?}");
    assert_eq!((foo.waits.len(), foo.waits[0].name.as_str()), (1, "implicit barrier"));
    assert_eq!((part(outside, Activity::Work), part(outside, Activity::Idle)), (1, 1));
}

#[test]
fn a_function_has_its_own_time_and_that_of_its_calls_and_lines() {
    let view = view();
    let (work, main) = (row(&view, Kind::Function, "work"), row(&view, Kind::Function, "main"));
    assert_eq!((work.ns / SAMPLE_NS, work.calls_ns), (4, Some(5 * SAMPLE_NS)), "one is in a function that it calls");
    assert_eq!((main.ns, main.calls_ns.map(|ns| ns / SAMPLE_NS)), (0, Some(9)), "all but the idle time");
    let lines = |row: &Row| row.lines.iter().map(|(at, ns)| (view.lines[*at].line, ns / SAMPLE_NS)).collect::<Vec<_>>();
    assert_eq!(lines(work), [(20, 4)]);
    assert_eq!(lines(main), [(30, 0)], "a line that only calls has no time of its own");
    let main_line = &view.lines[main.lines[0].0];
    assert_eq!((main_line.all_ns / SAMPLE_NS, main_line.file.as_str()), (9, "/src/foo.c"));
}

#[test]
fn the_timeline_names_regions_and_the_stacks_name_rows() {
    let view = view();
    let timeline = view.timeline.as_ref().unwrap();
    assert_eq!(timeline.threads, ["0 initial", "1 worker"]);
    assert!(timeline.names.contains(&"foo at foo.c:11".to_owned()), "{:?}", timeline.names);
    let work = view.rows.iter().position(|row| row.kind == Kind::Function && row.name == "work").unwrap();
    let stacks = serde_json::to_value(view.stacks.as_ref().unwrap()).unwrap();
    let named = stacks["names"].as_array().unwrap().iter().find(|name| name[0] == "work").unwrap();
    assert_eq!(named[1].as_u64(), Some(work as u64));
    let us: u64 = stacks["samples"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|sample| sample[2].as_array().unwrap().chunks(2))
        .map(|pair| pair[1].as_u64().unwrap())
        .sum();
    assert_eq!(us * 1000, view.total_ns, "all of the time is in stacks");
}

#[test]
fn time_without_a_processor_is_no_more_than_all_and_not_a_part_of_nothing() {
    let ready = |mut file: Simulated| {
        for thread in [0, 1] {
            file.add(Record::Thread { thread, tid: 1 + thread, begun_ns: 1, routine: 0 });
            file.add(Record::ThreadReady { thread, ready_ns: 1 << 40 });
        }
        let tiles = view_of(&file).tiles.into_iter();
        tiles.filter(|tile| tile.label == "time without a processor").map(|tile| tile.value).collect::<Vec<_>>()
    };
    assert_eq!(ready(program()), [page::Quantity::Part(1.0)]);
    assert_eq!(ready(Simulated::new()), []);
}

#[test]
fn threads_outside_of_openmp_are_in_no_time_without_a_processor() {
    let mut file = program();
    for (thread, ms) in [(0, 20), (1, 10), (7, 7000)] {
        file.add(Record::Thread { thread, tid: 1 + thread, begun_ns: 1, routine: 0 });
        file.add(Record::ThreadReady { thread, ready_ns: ms * 1_000_000 });
    }
    let view = view_of(&file);
    let tile = view.tiles.iter().find(|tile| tile.label == "time without a processor").unwrap();
    // As in the text: of the 100 ms of the threads in OpenMP.
    assert_eq!(tile.value, page::Quantity::Part(0.3));
}

#[test]
fn the_longest_of_many_processes_have_views_with_their_own_threads_and_samples() {
    let files = (0..MAX_VIEWS as u64 + 8).map(|number| {
        let mut file = program();
        file.add(Record::End { ended_ns: (1 + number) << 40 });
        file
    });
    let several = of_processes(&files.collect::<Vec<_>>(), user_model::View::User);
    let views = document(&Report::of(&several), &mut Sources::default()).views;
    assert_eq!(views.len(), 1 + MAX_VIEWS);
    let note = |view: &View| view.notes.iter().find(|note| note.contains("view of their own")).cloned();
    let said = "32 of 40 processes have a view of their own: those that lived longest";
    assert_eq!((note(&views[0]).as_deref(), note(&views[1])), (Some(said), None));
    let alone = view();
    assert_eq!(views[0].total_ns, 40 * alone.total_ns);
    for one in &views[1..] {
        assert_eq!((one.total_ns, one.timeline.as_ref().unwrap().threads.len()), (alone.total_ns, 2));
        assert!(matches!(one.about[0], page::Quantity::Time(ns) if ns > 9e12), "{:?}", one.about);
    }
}
