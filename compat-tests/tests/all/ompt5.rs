//! Events of gcc's code for a tool of OpenMP 5, compared with those of LLVM's runtime for the same program.

use std::path::PathBuf;

use compat_tests::forge::{Forge, Language, fortran_is_here};
use compat_tests::library::libora;
use compat_tests::llvm::clang_is_here;
use compat_tests::ompt5::{ToolTrace, named, program, shape, tool};
use compat_tests::run::{Launch, Outcome};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn run(parts: &[&str]) -> Outcome {
    let forge = forge();
    named(program(&forge, parts).with_ora(), &tool(&forge)).run().succeeded()
}

/// Builds the program by clang, for LLVM's runtime.
fn by_clang(forge: &Forge) -> PathBuf {
    forge.build(Language::ClangC11, &["programs/ompt5.c"], &["-O2", "-g", "-fopenmp"], "-by-clang")
}

/// Removes the parts of a line's shape in which two runtimes that follow the same specification may differ.
fn without_differences(line: &str) -> String {
    let mut words: Vec<String> = shape(line).split(' ').map(str::to_owned).collect();
    words.retain(|word| !word.starts_with("impl="));
    match (words[0].as_str(), words.get(1).map(String::as_str)) {
        // The runtime's name.
        ("start", _) => words.truncate(1),
        // The number of the initial device is 0 if there is no other device, or omp_initial_device, which is -1 (LLVM 21).
        ("initialize", _) => words.retain(|word| word != "device=0" && word != "device=-1"),
        // LLVM's runtime passes no code address for the ends of some critical sections and last barriers.
        ("mutex_released", _) => words.truncate(words.len() - 1),
        ("sync_region" | "sync_region_wait", Some("parallel")) if words.get(2).is_some_and(|end| end == "end") => {
            words.truncate(words.len() - 1)
        }
        // gcc ends a single construct with a call of an explicit barrier.
        ("sync_region" | "sync_region_wait", Some("workshare" | "explicit")) => words[1] = "barrier".to_owned(),
        // LLVM's runtime no longer has the number of iterations.
        ("work", _) if words[2] == "end" => words.retain(|word| !word.starts_with("count=")),
        // clang doesn't pass mergeable to its runtime.
        ("task_create", _) => words.iter_mut().for_each(|word| {
            if let Some(flags) = word.strip_prefix("flags=") {
                *word = format!("flags={:x}", u32::from_str_radix(flags, 16).unwrap() & !0x4000_0000);
            }
        }),
        // gcc sorts dependences.
        ("dependences", _) => words.sort(),
        _ => (),
    }
    words.join(" ")
}

fn comparable(reports: &ToolTrace, part: &str) -> Vec<String> {
    // LLVM's runtime doesn't count sections that are assigned statically as shares of work. And a thread of its nested teams may serve in
    // two of them, one after the other, so that the number of threads depends on chance.
    let is_left_out =
        |line: &str| line.starts_with("dispatch section") || part == "nested" && line.starts_with("thread_");
    let mut lines: Vec<String> =
        reports.all().into_iter().filter(|line| !is_left_out(line)).map(without_differences).collect();
    lines.sort();
    lines
}

#[test]
fn gccs_code_is_told_as_llvms_runtime_tells_clangs() {
    if !clang_is_here("gccs_code_is_told_as_llvms_runtime_tells_clangs") {
        return;
    }
    let forge = forge();
    let (clangs, tool) = (by_clang(&forge), tool(&forge));
    for part in ["locks", "critical", "region", "nested", "tasks", "queued", "work", "ordered", "outside"] {
        let ours = run(&[part]);
        let theirs = named(Launch::of(&forge, &clangs).awake().arg(part).with_trace(), &tool).run().succeeded();
        let (our_reports, their_reports) = (ToolTrace::of(&ours), ToolTrace::of(&theirs));
        assert!(their_reports.all().len() > 5, "{}", theirs.describe());
        assert_eq!(comparable(&our_reports, part), comparable(&their_reports, part), "{part}: {}", ours.describe());
    }
}

#[test]
fn a_region_is_told_in_its_order_on_each_thread() {
    let outcome = run(&["region"]);
    let reports = ToolTrace::of(&outcome);
    let member = |index: u32, task: &str| {
        // As LLVM's runtime has it: a worker's last barrier is no call's, and the team's size is the primary thread's.
        let (code, size) = if index == 0 { (" code", 2) } else { (" -", 0) };
        let barrier = |kind: &str, parallel: &str| {
            let code = if kind == "parallel" { code } else { " code" };
            let line = |what: &str, end: &str, parallel: &str| format!("{what} {kind} {end} {parallel} {task}{code}");
            [
                line("sync_region", "begin", "r2"),
                line("sync_region_wait", "begin", "r2"),
                line("sync_region_wait", "end", parallel),
                line("sync_region", "end", parallel),
            ]
        };
        let critical = ["mutex_acquire critical hint=0 impl=4", "mutex_acquired critical", "mutex_released critical"];
        let mut lines = vec![format!("implicit_task begin r2 {task} size=2 index={index} flags=2")];
        lines.extend(barrier("explicit", "r2"));
        lines.extend(critical.map(|line| format!("{line} address code")));
        lines.extend(barrier("explicit", "r2"));
        lines.extend(barrier("parallel", "-"));
        lines.push(format!("implicit_task end - {task} size={size} index={index} flags=2"));
        lines
    };
    let named = |thread: &str| {
        let lines = reports.on(thread).into_iter();
        let address = |line: &str| if line.starts_with("mutex") { shape(line) } else { line.to_owned() };
        lines.map(address).collect::<Vec<_>>()
    };
    // The second thread gets the higher number.
    let (mine, others) =
        if reports.on("t1").iter().any(|line| line.contains("k2 size=2")) { ("k2", "k3") } else { ("k3", "k2") };
    let around = |line: &str| vec![line.to_owned()];
    let first = [
        around("thread_begin t1 initial"),
        around("implicit_task begin r1 k1 size=1 index=1 flags=1"),
        around("parallel_begin k1 enter r2 requested=2 flags=80000002 code"),
        member(0, mine),
        around("parallel_end r2 k1 flags=80000002 code"),
        around("implicit_task end r1 k1 size=0 index=1 flags=1"),
        around("thread_end t1"),
    ];
    assert_eq!(named("t1")[..first.concat().len()], first.concat(), "{}", outcome.describe());
    let second = [around("thread_begin t2 worker"), member(1, others), around("thread_end t2")];
    assert_eq!(named("t2"), second.concat(), "{}", outcome.describe());
}

#[test]
fn a_task_that_stops_at_a_cancellation_point_or_is_discarded_is_cancelled() {
    let forge = forge();
    let launch = program(&forge, &["cancelled-tasks"]).with_ora().env("OMP_CANCELLATION", "true");
    let outcome = named(launch, &tool(&forge)).run().succeeded();
    let reports = ToolTrace::of(&outcome);
    let reports = reports.only(&["task_schedule", "cancel"]);
    // Status of a switch, or flags of a cancellation.
    let reports: Vec<_> = reports.iter().filter_map(|line| line.split(' ').nth(2)).collect();
    let discarded = |flags| [flags, "switch", "cancel"];
    let first = [&["switch", "flags=18", "cancel"][..], &discarded("flags=48"), &discarded("flags=48")].concat();
    let nested = ["switch", "switch", "flags=18", "cancel", "flags=28", "cancel"];
    let of_region = [&["flags=11"][..], &discarded("flags=41"), &discarded("flags=41")].concat();
    assert_eq!(reports, [&first[..], &nested, &of_region].concat(), "{}", outcome.describe());
}

#[test]
fn the_tool_starts_first_and_is_finalized_last() {
    let outcome = run(&["region"]);
    let reports = ToolTrace::of(&outcome);
    let all = reports.all();
    let ours = concat!(", by way of ora ", env!("CARGO_PKG_VERSION"));
    let start = all[0].strip_prefix("start 202111 GNU libgomp GOMP_").and_then(|start| start.strip_suffix(ours));
    let numbers = start.map(|version| version.split('.').all(|number| number.parse::<u32>().is_ok()));
    assert_eq!(numbers, Some(true), "{}", outcome.describe());
    assert_eq!(
        (all[1], *all.last().unwrap()),
        ("initialize device=0 data=7", "finalize data=7"),
        "{}",
        outcome.describe()
    );
}

#[test]
fn a_locks_wait_id_is_its_address_at_every_callback() {
    let reports = run(&["locks"]);
    let reports = ToolTrace::of(&reports);
    let ids = |init: &str, destroy: &str| {
        let from = reports.all().iter().position(|line| line.starts_with(init)).unwrap();
        let to = reports.all().iter().position(|line| line.starts_with(destroy)).unwrap();
        let id = |line: &str| line.split(' ').rev().nth(1).unwrap().to_owned();
        reports.all()[from..=to].iter().map(|line| id(line)).collect::<Vec<_>>()
    };
    for (init, destroy, count) in
        [("lock_init lock", "lock_destroy lock", 9), ("lock_init nest_lock", "lock_destroy nest_lock", 11)]
    {
        let ids = ids(init, destroy);
        assert_eq!(ids.len(), count, "{:?}", reports.all());
        assert!(ids.iter().all(|id| *id == ids[0]), "{:?}", reports.all());
    }
}

#[test]
fn registrations_are_answered_as_the_runtime_is() {
    let outcome = run(&["first"]);
    let reports = ToolTrace::of(&outcome);
    for (name, answer) in reports.answers() {
        let expected = match name {
            "work" | "dispatch" | "cancel" => 3,
            _ => 5,
        };
        assert_eq!(answer, expected, "{name}");
    }
    assert_eq!(reports.answers().len(), 20);
}

#[test]
fn callbacks_come_and_go_in_the_middle() {
    let reports = ToolTrace::of(&run(&["critical", "control2", "critical", "control1", "critical"]));
    let seen = reports.only(&["mutex_released", "control_tool"]);
    let seen: Vec<_> = seen.iter().map(|line| line.split(' ').next().unwrap()).collect();
    let two = ["mutex_released"; 2];
    assert_eq!(seen, [&two[..], &["control_tool"; 2], &two].concat());
}

#[test]
fn the_program_gets_the_tools_answer_or_why_there_is_none() {
    let forge = forge();
    let answer = |launch: Launch| launch.run().succeeded().text();
    let with_tool = || named(program(&forge, &["first", "control1"]).with_ora(), &tool(&forge));
    assert_eq!(answer(with_tool()), "control 1: 42\n");
    assert_eq!(answer(with_tool().env("TRACE5_ONLY", "work")), "control 1: -1\n");
    assert_eq!(answer(program(&forge, &["first", "control1"]).with_ora()), "control 1: -2\n");
    assert_eq!(answer(program(&forge, &["first", "control1"])), "control 1: -3\n");
}

#[test]
fn a_fortran_program_speaks_to_its_tool_and_its_numbers_keep_their_signs() {
    if !fortran_is_here("a_fortran_program_speaks_to_its_tool_and_its_numbers_keep_their_signs") {
        return;
    }
    let forge = forge();
    let program = forge.link(Language::Fortran, &["tools5/control.f90"], &["-fopenmp"], &[&libora()], "-control5");
    let outcome = named(Launch::of(&forge, &program).with_trace().with_ora(), &tool(&forge)).run().succeeded();
    assert_eq!(outcome.text(), "42\n42\n", "{}", outcome.describe());
    let said =
        ToolTrace::of(&outcome).only(&["control_tool"]).iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let [minus_one, minus_three] = [u64::MAX, u64::MAX - 2];
    let expected = [format!("control_tool 64 {minus_one} - code"), format!("control_tool {minus_three} 7 - code")];
    assert_eq!(said, expected, "{}", outcome.describe());
}

#[test]
fn a_tool_that_finalizes_itself_hears_all_ends_and_no_more() {
    let forge = forge();
    let parts = ["region", "control4", "region", "critical"];
    // If events of barriers are registered, these are reported in time; otherwise when the worker continues.
    for registered in [None, Some("thread_begin,thread_end,implicit_task,control_tool")] {
        let mut launch = program(&forge, &parts).with_ora();
        if let Some(registered) = registered {
            launch = launch.env("TRACE5_ONLY", registered);
        }
        let outcome = named(launch, &tool(&forge)).run().succeeded();
        let reports = ToolTrace::of(&outcome);
        let (all, worker) = (reports.all(), reports.on("t2"));
        let last =
            ["thread_end t2", "implicit_task end r1 k1 size=0 index=1 flags=1", "thread_end t1", "finalize data=7"];
        assert_eq!(all[all.len() - 4..], last, "{}", outcome.describe());
        assert!(worker[worker.len() - 2].starts_with("implicit_task end - k"), "{}", outcome.describe());
        assert_eq!(
            reports.only(&["thread_begin"]).len(),
            reports.only(&["thread_end"]).len(),
            "{}",
            outcome.describe()
        );
    }
}

#[test]
fn loops_are_told_with_their_schedules() {
    let forge = forge();
    for (wish, schedule) in
        [("static", "static"), ("dynamic,2", "dynamic"), ("monotonic:guided", "guided"), ("auto", "static")]
    {
        let launch = program(&forge, &["schedules"]).with_ora().env("TRACE5_SCHEDULES", "1").env("OMP_SCHEDULE", wish);
        let outcome = named(launch, &tool(&forge)).run().succeeded();
        let reports = ToolTrace::of(&outcome);
        let reports: Vec<_> = reports.only(&["schedule"]).iter().filter_map(|line| line.split(' ').nth(1)).collect();
        let by_clauses = ["dynamic", "guided", "dynamic", "static", "guided", "guided"];
        assert_eq!(reports, [&by_clauses[..], &[schedule; 2]].concat(), "{}", outcome.describe());
    }
}

#[test]
fn processors_are_counted_when_the_tool_asks() {
    let forge = forge();
    let launch = program(&forge, &["narrow", "control1"]).with_ora().env("TRACE5_PLACES", "1");
    let outcome = named(launch, &tool(&forge)).run().succeeded();
    let counts = |text: &str| {
        let lines = text.lines().filter_map(|line| line.split_once(" on ")?.1.split(':').next()?.parse::<u32>().ok());
        lines.collect::<Vec<_>>()
    };
    let all = u32::try_from(processors().len()).unwrap();
    let reports = ToolTrace::of(&outcome).only(&["places"]).join("\n");
    assert_eq!(counts(&reports), [all, all, all, 1, 1], "{}", outcome.describe());
}

#[test]
fn a_forked_child_goes_on_with_the_tool() {
    let forge = forge();
    let launch = program(&forge, &["critical", "fork", "critical"]).with_ora();
    let outcome = named(launch, &tool(&forge)).run().succeeded();
    let child: u32 = outcome.text().trim().parse().unwrap();
    let count = |reports: &ToolTrace, word: &str| reports.only(&[word]).len();
    let parent = ToolTrace::of(&outcome);
    let child = ToolTrace::of_process(&outcome, child);
    assert_eq!((count(&parent, "mutex_released"), count(&parent, "start"), count(&parent, "finalize")), (4, 1, 1));
    assert_eq!((count(&child, "mutex_released"), count(&child, "start"), count(&child, "finalize")), (2, 0, 1));
    assert_eq!(*child.all().last().unwrap(), "finalize data=7");
}

/// Processors that this test may use.
fn processors() -> Vec<usize> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    let bounds = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        first.parse::<usize>().unwrap()..=last.parse().unwrap()
    };
    list.split(',').flat_map(bounds).collect()
}

#[test]
fn places_are_those_that_the_runtime_says() {
    let forge = forge();
    let list: Vec<String> = processors().iter().take(4).map(|id| format!("{{{id}}}")).collect();
    for (name, value) in [("OMP_PLACES", list.join(",")), ("OMP_PLACES", "sockets".to_owned()), ("A", String::new())] {
        let launch = program(&forge, &["places"]).with_ora().env(name, &value).env("TRACE5_PLACES", "1");
        let outcome = named(launch, &tool(&forge)).run().succeeded();
        let reports = ToolTrace::of(&outcome);
        let mut reports = reports.only(&["places"]);
        let said = outcome.text();
        let mut said: Vec<_> = said.lines().collect();
        // The program prints nothing after its inner regions.
        let inner = |line: &&str| !line.starts_with("places after");
        let last = *reports.iter().rfind(|line| !inner(line)).unwrap();
        reports.retain(inner);
        reports.push(last);
        reports.sort_unstable();
        said.sort_unstable();
        assert_eq!(reports, said, "{name}={value}: {}", outcome.describe());
        assert_eq!(said.len(), 6, "{}", outcome.describe());
    }
}

#[test]
fn all_places_are_known_however_many_there_are() {
    let forge = forge();
    let program = forge.build(Language::C11, &["programs/many_places.c"], &["-O2", "-fopenmp", "-rdynamic"], "");
    let place = processors().iter().take(2).map(usize::to_string).collect::<Vec<_>>();
    let list = vec![format!("{{{}}}", place.join(",")); 5000].join(",");
    let outcome = Launch::of(&forge, &program).with_ora().env("OMP_PLACES", &list).run().succeeded();
    let said = format!("5000 places of {} processors, 0 wrong\n", 5000 * place.len());
    assert_eq!(outcome.text(), said, "{}", outcome.describe());
}

#[test]
fn a_queued_task_knows_where_its_copies_of_variables_are() {
    let forge = forge();
    let flags = ["-O2", "-g", "-fopenmp", "-rdynamic"];
    let program = forge.build(Language::C99, &["programs/task_memory.c"], &flags, "");
    let outcome = Launch::of(&forge, &program).with_ora().run().succeeded();
    assert_eq!(outcome.text(), "queued 20 others 12 undeferred 10\n", "{}", outcome.describe());
}
