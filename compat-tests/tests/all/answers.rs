//! A collector that returns answers from its callbacks: it gets fewer events, and the library counts the others for it.

use compat_tests::forge::Forge;
use compat_tests::run::Launch;

const DECLINE: u32 = 1;
const COUNT_TASKS: u32 = 2;
const COUNT_WAITS: u32 = 4;
const STAMP_TICKS: u32 = 8;
const STAMP_NS: u32 = 16;

/// The output of the collector.
fn told(threads: u32, answer: u32, tool: Option<&str>) -> String {
    told_with(threads, answer, tool, None)
}

/// [`told`], with a variable of the collector set.
fn told_with(threads: u32, answer: u32, tool: Option<&str>, variable: Option<&str>) -> String {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let (program, collector) = (forge.program("at_once.c"), forge.collector("answering.c"));
    let launch = Launch::of(&forge, &program).with_ora().with_collector(&collector).threads(threads);
    let launch = launch.env("ORA_TEST_ANSWER", &answer.to_string()).without_trace();
    let launch = if let Some(tool) = tool { launch.with_tool(&forge.tool(tool)) } else { launch };
    let launch = if let Some(variable) = variable { launch.env(variable, "1") } else { launch };
    launch.run().succeeded().text().trim().to_owned()
}

/// Expected output for each thread: events of creations, of ends of undeferred and of other creations, of starts, ends and waits; then
/// counts of tasks and waits, and of stamped tasks.
fn expected(
    threads: u32,
    [created, at_once, deferred, begun, ended, waits, tasks, nothing, stamped]: [u32; 9],
) -> String {
    let of = |count: u32| count * threads;
    format!(
        "created {}, at once {}, deferred {}, begun {}, ended {}, waits {w} to {w}; counted {} tasks, {} waits; stamped {}, wrong 0",
        of(created),
        of(at_once),
        of(deferred),
        of(begun),
        of(ended),
        of(tasks),
        of(nothing),
        of(stamped),
        w = of(waits),
    )
}

/// The first task of a thread has all its events, because the thread has no ids in reserve yet.
#[test]
fn each_event_that_is_not_needed_is_counted() {
    for (answer, counts) in [
        (0, [110, 100, 10, 110, 110, 220, 0, 0, 0]),
        (DECLINE, [110, 1, 10, 11, 110, 220, 0, 0, 0]),
        (COUNT_TASKS, [110, 100, 10, 11, 11, 220, 99, 0, 0]),
        (COUNT_WAITS, [110, 100, 10, 110, 110, 12, 0, 208, 0]),
        (DECLINE | COUNT_TASKS | COUNT_WAITS, [110, 1, 10, 11, 11, 12, 99, 208, 0]),
    ] {
        for threads in [1, 2] {
            assert_eq!(told(threads, answer, None), expected(threads, counts), "{answer}, {threads} threads");
        }
    }
}

/// The first wait is in the first task, whose events come.
#[test]
fn without_events_of_creations_tasks_and_waits_are_counted() {
    for (answer, counts) in [
        (0, [0, 0, 0, 110, 110, 220, 0, 0, 0]),
        (COUNT_TASKS, [0, 0, 0, 11, 11, 220, 99, 0, 0]),
        (COUNT_WAITS, [0, 0, 0, 110, 110, 12, 0, 208, 0]),
        (COUNT_TASKS | COUNT_WAITS, [0, 0, 0, 11, 11, 12, 99, 208, 0]),
    ] {
        for threads in [1, 2] {
            let told = told_with(threads, answer, None, Some("ORA_TEST_EXECUTIONS"));
            assert_eq!(told, expected(threads, counts), "{answer}, {threads} threads");
        }
    }
}

#[test]
fn stamps_are_in_the_order_of_the_stages() {
    for clock in [STAMP_TICKS, STAMP_NS] {
        // The creations in between, of tasks that queue another one, are not stamped.
        assert_eq!(told(1, DECLINE | clock, None), expected(1, [110, 1, 10, 11, 110, 220, 0, 0, 90]), "{clock}");
    }
}

#[test]
fn beside_a_tool_every_event_comes() {
    for tool in ["tools5/every.cc", "tr2/every.cc"] {
        let counts = [110, 100, 10, 110, 110, 220, 0, 0, 0];
        let answer = DECLINE | COUNT_TASKS | COUNT_WAITS | STAMP_TICKS;
        assert_eq!(told(2, answer, Some(tool)), expected(2, counts), "{tool}");
    }
}
