//! Tests of the sums, on a simulated program with names from a table.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use profile_format::simulated::Simulated;
use profile_format::{Cut, Reader, Record};

use super::Amount;
use crate::input::{DEEPEST, Process};
use crate::profile::{Profile, build};
use crate::report::Report;
use crate::state::State;
use crate::user_model::View;
use symbols::{self, ConstructKind, Name, Names};

/// First address, name, line, and the construct of which it is the body (kind and line).
type Row = (u64, &'static str, u32, Option<(ConstructKind, u32)>);

const TABLE: [Row; 8] = [
    (1100, "main", 30, None),
    (1200, "foo", 10, None),
    (1300, "foo", 12, Some((ConstructKind::Parallel, 11))),
    (1400, "work", 20, None),
    (1500, "bar", 40, None),
    (1600, "bar", 42, Some((ConstructKind::Parallel, 41))),
    (1900, "_start", 0, None),
    (1800, "__do_global_dtors_aux", 0, None),
];

pub(super) struct Table;

impl Names for Table {
    fn at(&mut self, address: u64, _: bool, _: u64) -> Vec<Name> {
        let row = TABLE.iter().rev().find(|row| (row.0..row.0 + 100).contains(&address));
        let name = |function: &str, line, construct| Name {
            function: function.to_owned(),
            file: Some("/src/foo.c".to_owned()).filter(|_| line > 0),
            line,
            object: "prog".to_owned(),
            place: None,
            construct,
            ends: None,
        };
        let Some((_, function, line, body)) = row else { return vec![name("other", 0, None)] };
        let file = Some("/src/foo.c".to_owned());
        let own = name(function, *line, body.map(|(kind, line)| symbols::Construct { kind, line, file, call: None }));
        // Half of work's addresses are in a function that is inlined there.
        if (1450..1500).contains(&address) { vec![name("inlined", 50, None), own] } else { vec![own] }
    }
}

pub(crate) fn profile(file: &Simulated, view: View) -> Profile {
    of_processes(std::slice::from_ref(file), view)
}

pub(crate) fn of_processes(files: &[Simulated], view: View) -> Profile {
    let read = |file: &Simulated| Ok::<_, Infallible>(Process::read(Reader::new(&file.bytes).unwrap()));
    build(files.iter().map(read), view, &mut |_: &Process| Box::new(Table)).unwrap()
}

/// Builds a program. Thread 0 works 3 samples in foo's region and 1 in serial code, thread 1 works 1 and waits 2. Both
/// are in bar's region, inside foo's, with a sample each; thread 1 idles for 1.
pub(crate) fn program() -> Simulated {
    let mut file = Simulated::new();
    let fork = [4100, 3100, 1200, 1100, 5300, 1900];
    file.region(1, 0, 0, &fork);
    file.region(2, 1, 1, &[4100, 3100, 1500, 1300, 2100, 5100]);
    let master = file.stack(&[1400, 1300, 2100, 3100, 1200, 1100, 5300, 1900]);
    let inlined = file.stack(&[1450, 1300, 2100, 3100, 1200, 1100, 5300, 1900]);
    let worker = file.stack(&[1400, 1300, 2100, 5100]);
    let barrier = file.stack(&[2200, 2100, 5100]);
    let serial = file.stack(&[1400, 1100, 5300, 1900]);
    let (inner_master, inner_worker) =
        (file.stack(&[1600, 2100, 3100, 1500, 1300, 2100, 5100]), file.stack(&[1600, 2100, 5100]));
    for (thread, region, state, stack) in [
        (0, 1, State::WORK, master),
        (0, 1, State::WORK, master),
        (0, 1, State::WORK, inlined),
        (0, 0, State::SERIAL, serial),
        (1, 1, State::WORK, worker),
        (1, 1, State::IMPLICIT_BARRIER, barrier),
        (1, 1, State::IMPLICIT_BARRIER, barrier),
        (1, 2, State::WORK, inner_master),
        (0, 2, State::WORK, inner_worker),
        (1, 0, State::IDLE, barrier),
    ] {
        file.sample(thread, region, state.0, stack);
    }
    let (asked, delivered) = (7, 5);
    file.add(Record::ThreadEnd { thread: 0, ended_ns: 9, wall_ns: 7, cpu_ns: 7, asked, delivered, lost: 1 });
    file
}

/// Work and wait in samples, of ten milliseconds each.
fn parts(amount: &Amount) -> (u64, u64) {
    assert_eq!(amount.samples * 10_000_000, amount.total_ns());
    assert_eq!(amount.cpu_ns, amount.total_ns());
    (amount.work_ns / 10_000_000, amount.wait_ns / 10_000_000)
}

#[test]
fn functions_lines_threads_and_states_add_up_to_the_total() {
    for view in [View::User, View::Expert, View::Machine] {
        let profile = profile(&program(), view);
        let report = Report::of(&profile);
        assert_eq!(parts(&report.sums.total), (7, 3));
        let own = |of: &mut dyn Iterator<Item = &Amount>| of.map(|amount| amount.total_ns()).sum::<u64>();
        let total = report.sums.total.total_ns();
        assert_eq!(own(&mut report.functions.iter().map(|one| &one.exclusive)), total);
        assert_eq!(own(&mut report.tree.nodes.iter().map(|node| &node.exclusive)), total);
        assert_eq!(report.tree.nodes[0].inclusive.total_ns(), total);
        assert_eq!(own(&mut report.sums.threads(&profile).iter()), total);
        assert_eq!(own(&mut report.sums.states().values()), total);
        assert_eq!(own(&mut report.causes.iter().map(|cause| &cause.amount)), report.sums.total.wait_ns);
        let outside = 2 * 10_000_000;
        assert_eq!(own(&mut report.regions.iter().map(|region| &region.exclusive)), total - outside);
    }
}

#[test]
fn a_function_has_its_bodies_and_counts_once() {
    let profile = profile(&program(), View::User);
    let report = Report::of(&profile);
    let name = |number| profile.code.function(number).unwrap().name.clone();
    let found: BTreeMap<_, _> =
        report.functions.iter().map(|one| (name(one.what), (parts(&one.exclusive), parts(&one.inclusive)))).collect();
    let expected = [
        ("<OMP-idle>", ((0, 1), (0, 1))),
        ("<OMP-implicit_barrier>", ((0, 2), (0, 2))),
        ("bar", ((2, 0), (2, 0))),
        // Twice or more on every stack of its region: itself and its body.
        ("foo", ((0, 0), (6, 2))),
        ("inlined", ((1, 0), (1, 0))),
        ("main", ((0, 0), (7, 2))),
        ("work", ((4, 0), (5, 0))),
    ];
    assert_eq!(found, expected.map(|(name, sums)| (name.to_owned(), sums)).into());
    let line = |line| report.lines.iter().find(|one| one.what == ("/src/foo.c", line)).unwrap();
    assert_eq!(parts(&line(20).exclusive), (4, 0));
    assert_eq!(parts(&line(12).inclusive), (6, 0), "the body, not the barrier behind it");
}

#[test]
fn the_users_tree_begins_in_main() {
    let profile = profile(&program(), View::User);
    let report = Report::of(&profile);
    let root: Vec<_> = report.tree.children(0).map(|child| report.tree.nodes[child].function).collect();
    let names: Vec<_> = root.iter().map(|number| profile.code.function(*number).unwrap().name.as_str()).collect();
    assert_eq!(names, ["main", "<OMP-idle>"]);
}

#[test]
fn the_time_before_and_after_main_is_one_row() {
    let mut file = Simulated::new();
    // The fourth is in a destructor of the runtime.
    let after = &[2100, 5200, 5300, 1900];
    for stack in [&[1900][..], &[5300, 1900], &[5200, 5300, 1900], after, &[1100, 5300, 1900]] {
        let stack = file.stack(stack);
        file.sample(0, 0, State::SERIAL.0, stack);
    }
    let profile = profile(&file, View::User);
    let report = Report::of(&profile);
    let rows = report.tree.children(0).map(|child| &report.tree.nodes[child]);
    let name = |number| profile.code.function(number).unwrap().name.as_str();
    let rows: Vec<_> = rows.map(|node| (name(node.function), node.inclusive.samples, node.exclusive.samples)).collect();
    assert_eq!(rows, [("<start and end>", 4, 4), ("main", 1, 1)]);
}

#[test]
fn a_stack_that_is_cut_where_the_program_ends_is_no_riddle() {
    let mut file = Simulated::new();
    // The compiler's code lacks rules for unwinding, and the program's destructor is above it.
    for (addresses, cut) in [(&[5300, 1800][..], Cut::NoRule), (&[5300, 1800, 5300, 1900], Cut::Whole)] {
        let stack = file.cut_stack(addresses, cut);
        file.sample(0, 0, State::SERIAL.0, stack);
    }
    for stack in [&[1400, 5300, 1800][..], &[5300, 1400]] {
        let stack = file.cut_stack(stack, Cut::NoRule);
        file.sample(0, 0, State::SERIAL.0, stack);
    }
    let profile = profile(&file, View::User);
    let report = Report::of(&profile);
    let rows = report.tree.children(0).map(|child| &report.tree.nodes[child]);
    let name = |number| profile.code.function(number).unwrap().name.as_str();
    let rows: BTreeSet<_> = rows.map(|node| (name(node.function), node.inclusive.samples)).collect();
    assert_eq!(rows, BTreeSet::from([("<start and end>", 2), ("<truncated stack>", 1), ("work", 1)]));
}

#[test]
fn calls_of_a_function_by_itself_are_one_call() {
    let mut file = Simulated::new();
    for stack in [&[1410, 1420, 1430, 1100, 1900][..], &[1410, 1100, 1900], &[1200, 1420, 1430, 1100, 1900]] {
        let stack = file.stack(stack);
        file.sample(0, 0, State::SERIAL.0, stack);
    }
    let profile = profile(&file, View::User);
    let report = Report::of(&profile);
    let row = |node: usize| {
        let node = &report.tree.nodes[node];
        let name = profile.code.function(node.function).map_or("", |function| function.name.as_str());
        (name, node.exclusive.samples, node.inclusive.samples, node.recursive)
    };
    let [main] = report.tree.children(0).collect::<Vec<_>>()[..] else { panic!("{:?}", report.tree) };
    let [work] = report.tree.children(main).collect::<Vec<_>>()[..] else { panic!("{:?}", report.tree) };
    let [foo] = report.tree.children(work).collect::<Vec<_>>()[..] else { panic!("{:?}", report.tree) };
    assert_eq!([main, work, foo].map(row), [("main", 0, 3, false), ("work", 2, 3, true), ("foo", 1, 1, false)]);
}

#[test]
fn regions_are_named_by_their_bodies_and_know_what_is_inside() {
    let profile = profile(&program(), View::User);
    let report = Report::of(&profile);
    let found: Vec<_> = report
        .regions
        .iter()
        .map(|region| {
            let (construct, function) = profile.code.construct(region.construct).unwrap();
            (function.name.as_str(), construct.line, parts(&region.exclusive), parts(&region.inclusive))
        })
        .collect();
    assert_eq!(found, [("foo", 11, (4, 2), (6, 2)), ("bar", 41, (2, 0), (2, 0))]);
    let [foo, _] = &report.regions[..] else { panic!() };
    let work: Vec<_> = foo.threads.iter().map(|(thread, amount)| (*thread, parts(amount))).collect();
    assert_eq!(work, [(0, (3, 0)), (1, (1, 2))]);
    let imbalance = foo.imbalance().unwrap();
    assert!((imbalance.share - 2.0 / 6.0).abs() < 1e-9 && !imbalance.certain);
}

#[test]
fn a_region_inside_of_itself_counts_once() {
    let mut file = Simulated::new();
    file.region(1, 0, 0, &[4100, 3100, 1200, 1100, 5300, 1900]);
    file.region(2, 1, 1, &[4100, 3100, 1200, 1300, 2100, 5100]);
    let stack = file.stack(&[1300, 2100, 5100]);
    file.sample(2, 2, State::WORK.0, stack);
    file.sample(1, 1, State::WORK.0, stack);
    let profile = profile(&file, View::User);
    let report = Report::of(&profile);
    let [foo] = &report.regions[..] else { panic!("{:?}", report.regions) };
    assert_eq!((parts(&foo.exclusive), parts(&foo.inclusive)), ((2, 0), (2, 0)));
}

#[test]
fn a_region_that_only_begins_others_is_named_by_its_body_too() {
    let mut file = Simulated::new();
    file.region(1, 0, 0, &[4100, 3100, 1200, 1100, 5300, 1900]);
    file.region(2, 1, 1, &[4100, 3100, 1500, 1300, 2100, 5100]);
    let (inner, barrier) = (file.stack(&[1600, 2100, 5100]), file.stack(&[2200, 2100, 5100]));
    file.sample(2, 2, State::WORK.0, inner);
    file.sample(1, 1, State::IMPLICIT_BARRIER.0, barrier);
    let profile = profile(&file, View::User);
    let lines: Vec<_> = profile.code.constructs().iter().map(|construct| construct.line).collect();
    assert_eq!(lines, [11, 41], "not 10, the line of the call");
}

#[test]
fn threads_have_requested_and_delivered_signals() {
    let profile = profile(&program(), View::User);
    let [first, second] = &profile.threads[..] else { panic!() };
    assert_eq!((first.asked, first.delivered, first.lost, first.rest_ns), (Some(7), 5, 1, 7));
    assert_eq!((second.asked, second.delivered, second.samples), (None, 5, 5), "its end was not seen");
}

#[test]
fn the_dearest_finding_comes_first_and_few_samples_have_none() {
    let profile_of = |times| {
        let mut file = program();
        let (samples, begin) = (file.bytes.clone(), Simulated::new().bytes.len());
        (0..times).for_each(|_| file.bytes.extend(&samples[begin..]));
        profile(&file, View::User)
    };
    assert_eq!(Report::of(&profile_of(0)).findings, []);
    assert_eq!(Report::of(&profile_of(9)).findings, [], "20 samples of imbalance are chance");
    // 98 samples of which only imbalance shows, and 105.
    let excluded = |times| Report::of(&profile_of(times)).excluded;
    assert_eq!(excluded(8), None);
    assert_eq!(excluded(14), None, "serial code takes much of the time");
    let profile = profile_of(59);
    let report = Report::of(&profile);
    let ids: Vec<_> = report.findings.iter().map(|finding| (finding.id, finding.costs_ns)).collect();
    assert_eq!(ids, [("imbalance", 1.2e9), ("serial", 6e8)]);
    let first = &report.findings[0];
    assert_eq!(first.place.as_ref().map(|place| place.line), Some(Some(11)));
    assert!(first.what.ends_with(" % of the threads' time is imbalance in the region at foo.c:11"), "{first:?}");
    assert_eq!(
        first.fix,
        "where a loop shares it out, try schedule(dynamic) with chunks of some 10 us of work or more, or parts of more even size (not \
         where `nowait` relies on equal schedules)"
    );
    assert!(report.findings[1].what.contains("most of them in or below work"), "{:?}", report.findings[1]);
}

#[test]
fn a_hundred_samples_exclude_what_they_show() {
    let excluded = |samples| {
        let mut file = Simulated::new();
        file.region(1, 0, 0, &[4100, 3100, 1200, 1100, 5300, 1900]);
        let work = file.stack(&[1400, 1300, 2100, 5100]);
        for sample in 0..samples {
            file.sample(1 + sample % 2, 1, State::WORK.0, work);
        }
        Report::of(&profile(&file, View::User)).excluded
    };
    assert_eq!(excluded(98), None);
    let text = excluded(106).unwrap();
    assert!(text.contains("serial code is 0.00 %"), "{text}");
}

#[test]
fn time_inside_of_the_runtime_is_no_work() {
    let mut file = Simulated::new();
    file.region(1, 0, 0, &[4100, 3100, 1200, 1100, 5300, 1900]);
    // A lock's entry in the runtime, one of the library's before it, and the program's own code; in serial code as well.
    let (unlock, set) = (file.stack(&[2300, 3200, 1300, 2100, 5100]), file.stack(&[3200, 1300, 2100, 5100]));
    let (work, create) = (file.stack(&[1400, 1300, 2100, 5100]), file.stack(&[5200, 2300, 1100, 5300, 1900]));
    let serial = file.stack(&[5200, 1100, 5300, 1900]);
    for (stack, times) in [(unlock, 30), (set, 30), (work, 40)] {
        for _ in 0..times {
            file.sample(1, 1, State::WORK.0, stack);
        }
    }
    for _ in 0..10 {
        file.sample(0, 0, State::SERIAL.0, create);
    }
    for _ in 0..10 {
        file.sample(0, 0, State::SERIAL.0, serial);
    }
    for view in [View::User, View::Expert, View::Machine] {
        let profile = profile(&file, view);
        let report = Report::of(&profile);
        let states = report.sums.states();
        let of = |state| states.get(&state).map(parts);
        assert_eq!((of(State::RUNTIME), of(State::WORK)), (Some((0, 70)), Some((40, 0))), "{view:?}");
        assert_eq!(of(State::SERIAL), Some((10, 0)));
        assert_eq!(report.causes.iter().map(|cause| cause.state).collect::<Vec<_>>(), [State::RUNTIME]);
        assert_eq!(parts(&report.regions[0].exclusive), (40, 60));
    }
    let profile = profile(&file, View::User);
    let report = Report::of(&profile);
    let finding = &report.findings[0];
    assert_eq!((finding.id, finding.costs_ns), ("runtime", 7e8));
    assert!(finding.what.contains(" spent inside of the runtime, 85.71 % of that in foo"), "{}", finding.what);
    let text = crate::text::render(&report, 20);
    assert!(text.contains("runtime: locks, tasks, loops, barriers") && text.contains("<OMP-runtime>"), "{text}");
}

#[test]
fn a_region_is_one_row_however_it_is_reached_and_met() {
    let mut file = Simulated::new();
    // The same call from two places; samples of the second place are at its end only.
    file.region(1, 0, 0, &[4100, 3100, 1200, 1100, 5300, 1900]);
    file.region(2, 0, 0, &[4100, 3100, 1200, 1410, 1100, 5300, 1900]);
    let (body, barrier) = (file.stack(&[1300, 2100, 5100]), file.stack(&[2200, 2100, 5100]));
    file.sample(1, 1, State::WORK.0, body);
    file.sample(1, 2, State::IMPLICIT_BARRIER.0, barrier);
    let profile = profile(&file, View::User);
    let report = Report::of(&profile);
    let lines = report.regions.iter().map(|region| profile.code.construct(region.construct).unwrap().0.line);
    assert_eq!(lines.collect::<Vec<_>>(), [11]);
}

#[test]
fn regions_around_themselves_and_the_region_0_end_no_report_late() {
    let mut file = Simulated::new();
    let fork = [4100, 3100, 1200, 1100, 5300, 1900];
    let (first, last) = (1, 20_000);
    // Around itself, each other, and nested deeper than in any program.
    for (region, parent) in [(0, 0), (last + 1, last + 1), (last + 2, last + 3), (last + 3, last + 2)] {
        file.region(region, parent, 0, &fork);
    }
    let stack = file.stack(&fork);
    (first..=last).for_each(|region| file.region_at(region, region - 1, 0, stack));
    for region in (0..=last + 3).rev() {
        file.sample(0, region, State::WORK.0, stack);
    }
    let profile = profile(&file, View::User);
    assert_eq!(profile.processes[0].facts.pid, Some(4711));
    assert_eq!(profile.samples.len() as u64, last + 4);
    assert!(profile.samples.iter().all(|point| profile.constructs(point.nest).count() <= DEEPEST));
}
