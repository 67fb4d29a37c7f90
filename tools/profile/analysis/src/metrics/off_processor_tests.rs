//! Time that is no function's: without a processor, and before the profile began.

use profile_format::simulated::Simulated;
use profile_format::{Moment, Reader, Record, info};

use super::tests::{Table, profile};
use crate::input::Process;
use crate::profile::build;
use crate::report::Report;
use crate::state::State;
use crate::user_model::View;

/// Milliseconds of a function's own, and with its calls.
fn ms(report: &Report<'_>, name: &str) -> Option<(u64, u64)> {
    let named = |what| report.profile.code.function(what).is_some_and(|function| function.name == name);
    let one = report.functions.iter().find(|one| named(one.what))?;
    Some((one.exclusive.total_ns() / 1_000_000, one.inclusive.total_ns() / 1_000_000))
}

#[test]
fn time_without_a_processor_and_asleep_is_not_the_functions() {
    let mut file = Simulated::new();
    let stack = file.stack(&[1400, 1100, 5300, 1900]);
    // Without a processor for 60 of the 90 ms that it did not run; the rest it slept.
    file.time((0, 0), State::SERIAL.0, stack, Moment::Tick, (100, 10));
    file.time((0, 0), State::SERIAL.0, stack, Moment::Tick, (20, 20));
    file.add(Record::Thread { thread: 0, tid: 1, begun_ns: 0, routine: 0 });
    file.add(Record::ThreadReady { thread: 0, ready_ns: 60_000_000 });
    let in_view = |view| {
        let profile = profile(&file, view);
        let report = Report::of(&profile);
        assert_eq!((report.sums.total.total_ns(), report.sums.total.samples), (120_000_000, 2));
        ["work", "<waiting for a processor>", "<asleep in calls or taskwaits>"].map(|name| ms(&report, name))
    };
    assert_eq!(in_view(View::User), [Some((30, 90)), Some((60, 60)), Some((30, 30))]);
    assert_eq!(in_view(View::Machine), [Some((120, 120)), None, None]);
}

#[test]
fn what_the_kernel_has_not_counted_stays_with_the_function() {
    let mut file = Simulated::new();
    let stack = file.stack(&[1400, 1100, 5300, 1900]);
    file.time((0, 0), State::SERIAL.0, stack, Moment::Tick, (100, 10));
    let profile = profile(&file, View::User);
    assert_eq!(ms(&Report::of(&profile), "work"), Some((100, 100)));
}

#[test]
fn start_up_has_a_row_of_the_first_program_in_a_process() {
    let mut file = Simulated::new();
    let stack = file.stack(&[1400, 1100, 5300, 1900]);
    file.time((0, 0), State::SERIAL.0, stack, Moment::Tick, (10, 10));
    for (key, value) in [(info::PID, &b"7"[..]), (info::START_UP, b"5000000")] {
        file.add(Record::Info { key, value });
    }
    let process = || Ok::<_, std::convert::Infallible>(Process::read(Reader::new(&file.bytes).unwrap()));
    let of = |processes: Vec<_>| {
        let profile = build(processes, View::User, &mut |_: &Process| Box::new(Table)).unwrap();
        let report = Report::of(&profile);
        (ms(&report, "<before the profile began: start-up, dynamic linking>"), report.sums.total.cpu_ns)
    };
    assert_eq!(of(vec![process()]), (Some((5, 5)), 15_000_000));
    assert_eq!(of(vec![process(), process()]), (Some((5, 5)), 25_000_000), "the second program of one process");
}
