//! Target constructs, operations on device memory and error directives, for a tool of OpenMP 5. The device is the host, or one that a
//! libgomp plug-in simulates.

use std::fs;
use std::path::PathBuf;

use compat_tests::forge::{Forge, Language, fortran_is_here};
use compat_tests::ompt5::named;
use compat_tests::run::{Launch, Outcome};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn tool(forge: &Forge) -> PathBuf {
    forge.build(Language::C99, &["tools5/devices.c"], &["-O2", "-shared", "-fPIC"], ".so")
}

/// Folder with a plug-in for this libgomp, which accepts only one version of plug-ins. `None` if libgomp supports no devices.
fn device(forge: &Forge) -> Option<PathBuf> {
    let program = forge.program("devices.c");
    let folders = [1, 2, 3, 4].map(|version| {
        let version = format!("-DPLUGIN_VERSION={version}");
        let flags = ["-O2", "-shared", "-fPIC", &version];
        let plugin = forge.build(Language::C11, &["programs/device_plugin.c"], &flags, ".so");
        let folder = plugin.with_extension("plugins");
        fs::create_dir_all(&folder).unwrap();
        // Another test may have created it.
        let _ = std::os::unix::fs::symlink(&plugin, folder.join("libgomp-plugin-nvptx.so.1"));
        folder
    });
    let works = |folder: &PathBuf| {
        let launch = Launch::of(forge, &program).arg("none").env("LD_LIBRARY_PATH", &folder.to_string_lossy());
        !launch.run().text().contains("devices 0")
    };
    let found = folders.into_iter().find(works);
    if found.is_none() {
        eprintln!("skipped: this libgomp opens no plug-in for devices");
    }
    found
}

/// The tool's lines about a part of the program, without those about devices themselves.
fn lines(outcome: &Outcome) -> Vec<String> {
    let left_out = |line: &str| line.starts_with("set ") || line.starts_with("device ");
    let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
    text.lines().filter(|line| !left_out(line) && line.contains('=')).map(str::to_owned).collect()
}

/// The tool's lines about devices themselves.
fn changes(outcome: &Outcome) -> Vec<String> {
    let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
    text.lines().filter_map(|line| line.strip_prefix("device ")).map(str::to_owned).collect()
}

fn run(part: &str, device: Option<&PathBuf>, plain: bool) -> Outcome {
    run_program("devices.c", part, device, plain)
}

fn run_program(source: &str, part: &str, device: Option<&PathBuf>, plain: bool) -> Outcome {
    let forge = forge();
    let mut launch = named(Launch::of(&forge, &forge.program(source)).awake().arg(part).with_ora(), &tool(&forge));
    if let Some(device) = device {
        launch = launch.env("LD_LIBRARY_PATH", &device.to_string_lossy());
    }
    if plain {
        launch = launch.env("DEVICES_PLAIN", "1");
    }
    launch.run().succeeded()
}

#[test]
fn the_answers_say_what_is_reported() {
    let outcome = run("constructs", None, false);
    let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let answers: Vec<&str> = text.lines().filter(|line| line.starts_with("set ")).collect();
    let expected = [
        "set target_emi 5",
        "set target_data_op_emi 3",
        "set target_submit_emi 5",
        "set target 5",
        "set target_data_op 3",
        "set target_submit 5",
        "set error 5",
        "set device_initialize 5",
        "set device_finalize 5",
        "set device_load 5",
        "set device_unload 5",
    ];
    assert_eq!(answers, expected, "{}", outcome.describe());
}

#[test]
fn constructs_that_the_host_executes_begin_and_end_and_move_no_data() {
    let outcome = run("constructs", None, false);
    let ends = |kind: &str, number: usize| {
        ["begin", "end"]
            .map(|end| format!("{kind} {end} device=0 number={number} task=1 target_task=0 code=1 now=0/0/0"))
    };
    let submit = ["begin", "end"].map(|end| format!("submit {end} number=1 in=2 teams=1"));
    let [begin, end] = ends("target", 2);
    let mut expected = ends("enter", 1).to_vec();
    expected.extend([begin, submit[0].clone(), submit[1].clone(), end]);
    for (kind, number) in [("update", 3), ("exit", 4), ("enter", 5), ("exit", 6)] {
        expected.extend(ends(kind, number));
    }
    assert_eq!(lines(&outcome), expected, "{}", outcome.describe());
}

#[test]
fn a_tool_without_emi_gets_each_operation_once_and_its_number() {
    let outcome = run("constructs", None, true);
    let lines = lines(&outcome);
    assert_eq!(lines.len(), 6 * 2 + 1, "{}", outcome.describe());
    assert_eq!(lines[2], "target begin device=0 number=1 task=1 code=1", "{}", outcome.describe());
    assert_eq!(lines[3], "submit number=1 in=1 teams=1", "{}", outcome.describe());
}

#[test]
fn a_target_task_of_the_host_is_reported_where_it_is_executed() {
    let outcome = run("deferred", None, false);
    let expected = [
        "target_nowait begin device=0 number=1 task=1 target_task=1 code=1 now=0/0/0",
        "submit begin number=1 in=1 teams=1",
        "submit end number=1 in=1 teams=1",
        "target_nowait end device=0 number=1 task=1 target_task=1 code=1 now=0/0/0",
    ];
    assert_eq!(lines(&outcome), expected, "{}", outcome.describe());
}

#[test]
fn target_tasks_are_created_scheduled_and_named_in_their_constructs() {
    let forge = forge();
    let launch = Launch::of(&forge, &forge.program("devices.c")).awake().arg("tasks").with_ora();
    let outcome = named(launch, &tool(&forge)).env("DEVICES_TASKS", "1").run().succeeded();
    let task = |number: u32, by: u32, flags: &str, dependence: Option<u32>, construct: &str| {
        let depends = u32::from(dependence.is_some());
        let mut lines = vec![format!("create={number} by={by} flags={flags} depends={depends} code=1 frame=1")];
        lines.extend(dependence.map(|kind| format!("dependences=1 of={number} first={kind} at=1")));
        lines.extend(["begin", "end"].map(|end| format!("{construct} {end} task={by} target_task={number}")));
        lines
    };
    let expected = [
        task(2, 1, "8", Some(3), "target_nowait"),
        task(3, 1, "8000008", Some(3), "target"),
        task(4, 1, "8000008", Some(1), "update"),
        task(6, 5, "28000008", None, "target_nowait"),
        ["begin", "end"].map(|end| format!("target {end} task=1 target_task=0")).to_vec(),
    ];
    let (schedules, others): (Vec<_>, Vec<_>) = lines(&outcome).into_iter().partition(|line| line.starts_with("sched"));
    assert_eq!(others, expected.concat(), "{}", outcome.describe());
    // Each begins by a switch (7), and is complete then (1).
    for number in [2, 3, 4, 6] {
        let of = |end: String| schedules.iter().filter(|line| line.ends_with(&end)).count();
        assert_eq!(of(format!(" to={number}")), 1, "{number}: {}", outcome.describe());
        let complete = |line: &&String| line.starts_with(&format!("schedule=1 from={number} "));
        assert_eq!(schedules.iter().filter(complete).count(), 1, "{number}: {}", outcome.describe());
    }
    assert_eq!(schedules.len(), 8, "{}", outcome.describe());
}

#[test]
fn a_submission_has_the_number_of_teams() {
    let outcome = run("teams", None, false);
    assert!(lines(&outcome).contains(&"submit begin number=1 in=1 teams=3".to_owned()), "{}", outcome.describe());
}

#[test]
fn routines_for_memory_of_the_host_are_operations_on_it() {
    let outcome = run("routines_on_host", None, false);
    let begins: Vec<String> = lines(&outcome).into_iter().filter(|line| line.contains(" begin ")).collect();
    let operation = |what: &str, number: usize, places: &str| {
        format!("{what} begin number={number} in=0 {places} target_task=0 code=1 now=none")
    };
    let expected = [
        operation("alloc", 1, "from=0@-1 to=0@0 bytes=100"),
        operation("to_device", 2, "from=1@0 to=1@0 bytes=90"),
        operation("to_device", 3, "from=1@0 to=1@0 bytes=90"),
        operation("to_device", 4, "from=1@0 to=1@0 bytes=6"),
        operation("delete", 5, "from=1@0 to=0@-1 bytes=0"),
    ];
    assert_eq!(begins, expected, "{}", outcome.describe());
    let ends: Vec<String> = lines(&outcome).into_iter().filter(|line| line.contains(" end ")).collect();
    assert_eq!(ends[0], "alloc end number=1 in=0 from=0@-1 to=1@0 bytes=100 target_task=0 code=1 now=none");
    assert_eq!(ends.len(), begins.len(), "{}", outcome.describe());
}

#[test]
fn what_a_routine_for_memory_refuses_is_not_reported() {
    let outcome = run("refused", None, false);
    let lines = lines(&outcome);
    assert_eq!(lines.len(), 2, "{}", outcome.describe());
    assert!(lines[0].starts_with("to_device begin number=1 in=0 from=1@0 to=1@0 bytes=6 "), "{}", outcome.describe());
}

#[test]
fn copies_have_the_kinds_of_openmp_6_where_that_is_asked_for() {
    let forge = forge();
    let kinds = |part: &str| {
        let launch = Launch::of(&forge, &forge.program("devices.c")).awake().arg(part).with_ora();
        let outcome = named(launch, &tool(&forge)).env("ORA_OMPT", "6.0").run().succeeded();
        let lines = lines(&outcome).into_iter().filter(|line| line.contains(" begin "));
        lines.map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds("routines_on_host"), ["alloc", "transfer", "transfer", "transfer_rect", "delete"]);
    let asynchronous = kinds("async_on_host");
    if !asynchronous.is_empty() {
        let expected = ["alloc", "transfer_async", "transfer_async", "transfer_rect_async", "delete"];
        assert_eq!(asynchronous, expected);
    }
}

#[test]
fn the_default_device_may_be_named() {
    let kinds = |part: &str| {
        let lines = lines(&run(part, None, false));
        lines.into_iter().map(|line| line.split(" address").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let named = kinds("routines_by_name");
    // gcc has the name since release 16.
    assert!(named.is_empty() || named == kinds("routines"), "{named:?}");
}

/// True if programs of this gcc contain the part: the routines were added in release 13.
fn has_asynchronous_routines(outcome: &Outcome) -> bool {
    let has = !lines(outcome).is_empty();
    if !has {
        eprintln!("skipped: this gcc has no asynchronous routines for memory of devices");
    }
    has
}

#[test]
fn asynchronous_copies_on_the_host_are_reported_where_they_are_asked_for() {
    let outcome = run("async_on_host", None, false);
    if !has_asynchronous_routines(&outcome) {
        return;
    }
    let begins: Vec<String> = lines(&outcome).into_iter().filter(|line| line.contains(" begin ")).collect();
    let operation = |what: &str, number: usize, bytes: usize| {
        format!("{what} begin number={number} in=0 from=1@0 to=1@0 bytes={bytes} target_task=0 code=1 now=none")
    };
    let expected = [(2, 90), (3, 90), (4, 6)].map(|(number, bytes)| operation("to_device_async", number, bytes));
    assert_eq!(begins[1..4], expected, "{}", outcome.describe());
    assert_eq!(begins.len(), 5, "{}", outcome.describe());
}

#[test]
fn asynchronous_copies_to_a_device_are_reported_where_its_plugin_makes_them() {
    let Some(device) = device(&forge()) else { return };
    let outcome = run("async_on_device", Some(&device), false);
    if !has_asynchronous_routines(&outcome) {
        return;
    }
    let begins: Vec<String> = lines(&outcome).into_iter().filter(|line| line.contains(" begin ")).collect();
    let kinds: Vec<&str> = begins.iter().map(|line| line.split(' ').next().unwrap()).collect();
    // The rectangle of two lines is copied line by line.
    let expected = ["alloc", "to_device", "from_device", "to_device", "to_device", "delete"];
    assert_eq!(kinds, expected, "{}", outcome.describe());
}

#[test]
fn what_a_devices_plugin_does_for_a_construct_is_reported_in_it() {
    let Some(device) = device(&forge()) else { return };
    let outcome = run("constructs", Some(&device), false);
    let lines = lines(&outcome);
    let kinds: Vec<String> = lines
        .iter()
        .filter(|line| line.contains(" begin ") || line.starts_with("submit") || line.contains("target_task=0 code=1"))
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    let within = |construct: &str, operations: &[&str]| {
        let ends = |what: &&str| [format!("{what} begin"), format!("{what} end")];
        let inner = operations.iter().flat_map(ends);
        [format!("{construct} begin")].into_iter().chain(inner).chain([format!("{construct} end")]).collect::<Vec<_>>()
    };
    let expected: Vec<String> = [
        within("enter", &["alloc", "to_device"]),
        within("target", &["alloc", "to_device", "submit", "from_device", "delete"]),
        within("update", &["from_device"]),
        within("exit", &["from_device", "delete"]),
        within("enter", &["alloc", "to_device"]),
        within("exit", &["from_device", "delete"]),
    ]
    .concat();
    assert_eq!(kinds, expected, "{}", outcome.describe());
    // The device is 0, the host is 1; each operation belongs to its construct.
    let copied = lines.iter().find(|line| line.starts_with("to_device begin")).unwrap();
    assert!(copied.contains(" in=1 from=1@1 to=1@0 bytes=400 "), "{copied}");
    assert!(copied.ends_with(" now=0/2/1"), "{copied}");
    assert!(
        lines.iter().all(|line| !line.contains("number=99") && !line.contains("device=1")),
        "{}",
        outcome.describe()
    );
}

#[test]
fn routines_for_memory_of_a_device_are_reported_once() {
    let Some(device) = device(&forge()) else { return };
    let outcome = run("routines", Some(&device), false);
    let count = |start: &str| lines(&outcome).iter().filter(|line| line.starts_with(start)).count();
    // The rectangle of two lines is copied line by line.
    for (start, expected) in [
        ("alloc begin", 1),
        ("to_device begin", 3),
        ("from_device begin", 1),
        ("delete begin", 1),
        ("associate begin", 1),
    ] {
        assert_eq!(count(start), expected, "{start}: {}", outcome.describe());
    }
}

#[test]
fn a_device_is_initialized_once_gets_and_loses_its_code_and_is_finalized() {
    let Some(device) = device(&forge()) else { return };
    let outcome = run("code", Some(&device), false);
    let expected = [
        "initialized=0 played handle=0 lookup=0 documentation=1 devices=1",
        "loaded=0 file=0 offset=-1 vma=0 bytes=0 host=1 there=0",
        "unloaded=0 same=1",
        "finalized=0",
    ];
    assert_eq!(changes(&outcome), expected, "{}", outcome.describe());
    // Without a device nothing changes.
    let outcome = run("constructs", None, false);
    assert_eq!(changes(&outcome), [""; 0], "{}", outcome.describe());
}

#[test]
fn fortrans_constructs_are_reported_as_those_of_c() {
    if !fortran_is_here("fortrans_constructs_are_reported_as_those_of_c") {
        return;
    }
    let device = device(&forge());
    for device in [None, device.as_ref()] {
        for part in ["constructs", "teams", "deferred", "on_host"] {
            let [c, fortran] = ["devices.c", "devices.f90"].map(|source| run_program(source, part, device, false));
            assert!(lines(&c).len() >= 4, "{part}: {}", c.describe());
            assert_eq!(lines(&fortran), lines(&c), "{part}: {}", fortran.describe());
        }
    }
}

#[test]
fn beside_a_device_the_host_has_the_number_behind_it() {
    let Some(device) = device(&forge()) else { return };
    let outcome = run("on_host", Some(&device), false);
    let targets: Vec<String> = lines(&outcome).into_iter().filter(|line| line.starts_with("target ")).collect();
    assert_eq!(targets.len(), 4, "{}", outcome.describe());
    assert!(targets.iter().all(|line| line.contains(" device=1 ") && line.ends_with(" now=1/0/1")), "{targets:?}");
}

#[test]
fn programs_with_devices_go_on_as_without_the_library() {
    let forge = forge();
    let device = device(&forge);
    for device in [None, device.as_ref()] {
        let plain = |launch: Launch| match device {
            Some(device) => launch.env("LD_LIBRARY_PATH", &device.to_string_lossy()),
            None => launch,
        };
        let bare = plain(Launch::of(&forge, &forge.program("devices.c")).awake()).run().succeeded();
        let watched = named(plain(Launch::of(&forge, &forge.program("devices.c")).awake()).with_ora(), &tool(&forge))
            .run()
            .succeeded();
        assert_eq!(watched.text(), bare.text(), "{}", watched.describe());
    }
}

#[test]
fn error_directives_are_reported_with_their_messages() {
    let forge = forge();
    let run = |fatal: bool| {
        let launch = named(Launch::of(&forge, &forge.program("errors.c")).with_ora(), &tool(&forge));
        (if fatal { launch.arg("fatal") } else { launch }).run()
    };
    let outcome = run(false).succeeded();
    if outcome.text().contains("no error directive") {
        return eprintln!("skipped: this gcc has no error directive that is executed");
    }
    let warnings = ["error warning \"look out\" length=8 code=1", "error warning \"\" length=0 code=1"];
    assert_eq!(lines(&outcome), warnings, "{}", outcome.describe());
    let outcome = run(true);
    assert!(!outcome.status.success(), "{}", outcome.describe());
    assert_eq!(lines(&outcome)[2..], ["error fatal \"the end\" length=7 code=1"], "{}", outcome.describe());
}
