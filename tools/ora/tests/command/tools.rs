//! `ora run --tool`: OMPT tools of both forms, together and with a collector.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::harness::{Folder, ORA, errors, ora, run, text};

/// Lines of stderr, in alphabetical order, as the order of the tools' output at the end is unspecified.
fn lines(output: &Output) -> Vec<String> {
    let mut lines: Vec<_> = errors(output).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn headers() -> String {
    format!("-I{}", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../headers").display())
}

fn tool(folder: &Folder, name: &str, to: &str, more: &[&str]) -> PathBuf {
    let headers = headers();
    folder.compile(name, to, &[&["-shared", "-fPIC", &headers], more].concat())
}

/// Tools of OpenMP 5 and of TR2, and one of OpenMP 5 that has a function with the name that tools of TR2 use.
fn tools(folder: &Folder) -> [PathBuf; 3] {
    let second = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/programs/tool2.c");
    [
        tool(folder, "tool5", "libtool5.so", &[]),
        tool(folder, "tool2", "libtool2.so", &[]),
        tool(folder, "tool5", "libalike.so", &[second.to_str().unwrap()]),
    ]
}

/// `ora run` with these tools.
fn with(tools: &[&Path]) -> Command {
    let mut command = ora(&["run"]);
    for tool in tools {
        command.arg("--tool").arg(tool);
    }
    for variable in ["OMP_TOOL", "OMP_TOOL_LIBRARIES", "OMP_TOOL_VERBOSE_INIT", "ORA_TOOL_LOG"] {
        command.env_remove(variable);
    }
    command
}

#[test]
fn a_tool_of_each_form_is_called_alone_and_together() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let [five, two, alike] = tools(&folder);
    let (of_five, of_two) = ("tool of OpenMP 5: 3 regions", "tool of TR2: 3 regions");
    for (tools, expected) in [
        (&[five.as_path()][..], &[of_five][..]),
        (&[&two], &[of_two]),
        (&[&five, &two], &[of_five, of_two]),
        (&[&two, &five], &[of_five, of_two]),
        (&[&alike], &[of_five]),
        (&[&two, &alike], &[of_five, of_two]),
        (&[], &[]),
    ] {
        let output = run(with(tools).arg("--").arg(&program).args(["3", "5"]));
        assert_eq!((output.status.code(), text(&output)), (Some(5), "6\n".to_owned()), "{tools:?}");
        assert_eq!(lines(&output), expected, "{tools:?}");
    }
}

#[test]
fn a_collector_its_log_and_tools_of_both_forms_work_together() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let [five, two, _] = tools(&folder);
    let log = folder.file("log");
    let mut command = with(&[&five, &two]);
    command.arg("--collector").arg(folder.library("collector")).arg("--log-requests").arg(&log);
    let output = run(command.arg("--").arg(&program).args(["4"]));
    assert_eq!(text(&output), "8\n");
    assert_eq!(lines(&output), ["collector: 4 forks", "tool of OpenMP 5: 4 regions", "tool of TR2: 4 regions"]);
    let decoded = text(&run(ora(&["decode"]).arg(&log)));
    assert!(decoded.contains("OMP_REQ_START"), "{decoded}");
}

#[test]
fn children_are_watched_too() {
    let folder = Folder::new();
    let program = folder.program("processes");
    let [five, two, _] = tools(&folder);
    let told = |how: &str| lines(&run(with(&[&five, &two]).arg("--").arg(&program).arg(how)));
    // A forked child continues with the tool of OpenMP 5, and asks the TR2 tool again.
    let (five, two) = (|n: u32| format!("tool of OpenMP 5: {n} regions"), |n: u32| format!("tool of TR2: {n} regions"));
    assert_eq!(told("fork"), [five(1), five(2), two(1), two(2)]);
    assert_eq!(told("spawn"), [five(1), five(1), two(1), two(1)]);
}

#[test]
fn the_users_own_list_and_preloads_are_kept() {
    let folder = Folder::new();
    let program = folder.compile("preloaded", "preloaded", &["-Dmain=own", "-shared", "-fPIC"]);
    let [five, two, alike] = tools(&folder);
    let show = folder.file("show.sh");
    fs::write(&show, "echo \"$LD_PRELOAD $OMP_TOOL_LIBRARIES\"\n").unwrap();
    let said = |tools: &[&Path], list: &str| {
        let mut command = with(tools);
        command.env("LD_PRELOAD", &program).env("OMP_TOOL_LIBRARIES", list);
        let output = run(command.args(["--", "sh"]).arg(&show));
        // The library prints its lines when the shell ends.
        let (first, _) = text(&output).split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        let names = |list: &str| list.split(':').map(|p| p.rsplit('/').next().unwrap().to_owned()).collect::<Vec<_>>();
        let (preload, list) = first.split_once(' ').unwrap();
        (names(preload).join(":"), names(list).join(":"))
    };
    let expect = |preload: &str, list: &str| (preload.to_owned(), list.to_owned());
    assert_eq!(said(&[&five], "/u/own.so"), expect("libora.so:libora_guard.so:preloaded", "libtool5.so:own.so"));
    assert_eq!(said(&[&two], "/u/own.so"), expect("libora.so:libtool2.so:libora_guard.so:preloaded", "own.so"));
    assert_eq!(said(&[&alike], "/u/own.so"), expect("libora.so:libora_guard.so:preloaded", "libalike.so:own.so"));
}

#[test]
fn the_users_own_tool_is_asked_where_ours_declines() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let [five, ..] = tools(&folder);
    let other = folder.file("other.so");
    fs::copy(&five, &other).unwrap();
    let declining = tool(&folder, "tool5", "declining.so", &["-DWISH=\"decline\""]);
    let output = run(with(&[&declining]).env("OMP_TOOL_LIBRARIES", &other).arg("--").arg(&program));
    assert_eq!(lines(&output), ["tool of OpenMP 5: 1 regions"]);
}

#[test]
fn two_tools_of_tr2_are_refused_and_one_named_twice() {
    let folder = Folder::new();
    let [five, two, _] = tools(&folder);
    let other = folder.file("other.so");
    fs::copy(&two, &other).unwrap();
    let pairs = [([&two, &other], "both are tools of TR2"), ([&five, &five], "is named twice")];
    for (tools, why) in pairs {
        let output = run(with(&[tools[0], tools[1]]).args(["--", "echo", "ran"]));
        assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()));
        let message = errors(&output);
        assert!(message.contains(why) && message.contains("once"), "{message}");
    }
}

#[test]
fn of_several_tools_of_openmp_5_the_user_is_told_who_calls_which() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let [five, ..] = tools(&folder);
    let other = folder.file("other.so");
    fs::copy(&five, &other).unwrap();
    let output = run(with(&[&five, &other]).arg("--").arg(&program));
    let lines = lines(&output);
    assert!(lines.len() == 2 && lines[0].contains("libgomp the first one"), "{lines:?}");
    assert_eq!(lines[1], "tool of OpenMP 5: 1 regions");
}

#[test]
fn what_is_no_tool_is_refused_with_a_next_step() {
    let folder = Folder::new();
    let headers = headers();
    let [five, ..] = tools(&folder);
    let script = folder.file("script");
    fs::write(&script, "{ local: *; };\n").unwrap();
    let hidden = tool(&folder, "tool5", "hidden.so", &[&format!("-Wl,--version-script={}", script.display())]);
    let mut bytes = fs::read(&five).unwrap();
    bytes[18] = 243;
    let foreign = folder.file("foreign.so");
    fs::write(&foreign, bytes).unwrap();
    let program = folder.compile("regions", "program", &["-fopenmp", &headers]);
    let [program, foreign, hidden, collector, plain] =
        [program, foreign, hidden, folder.library("collector"), folder.library("preloaded")]
            .map(|path| path.to_str().unwrap().to_owned());
    for (given, says, next) in [
        ("/no/such.so", "can't be read", "check the path"),
        ("/etc/passwd", "not a shared library", "gcc -shared"),
        (&program, "is a program", "gcc -shared"),
        (&foreign, "another machine: 64-bit RISC-V", "gcc -shared"),
        (&hidden, "has ompt_start_tool, but doesn't export it", "-fvisibility=hidden"),
        (&collector, "exports neither ompt_start_tool (OpenMP 5) nor ompt_initialize (TR2)", "use --collector"),
        (&plain, "exports neither", "for a collector"),
        ("/lib/x86_64-linux-gnu/libgomp.so.1", "an OpenMP runtime", "the tool's library"),
    ] {
        let output = run(with(&[Path::new(given)]).args(["--", "echo", "ran"]));
        let message = errors(&output);
        assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()), "{given}");
        assert!(message.contains(given) && message.contains(says) && message.contains(next), "{message}");
    }
    let output = run(ora(&["run", "--collector"]).arg(&five).args(["--", "echo", "ran"]));
    assert_eq!(output.status.code(), Some(125));
    assert!(errors(&output).contains("use --tool"), "{}", errors(&output));
}

#[test]
fn a_path_that_a_list_cannot_hold_is_refused() {
    let folder = Folder::new();
    let [five, two, _] = tools(&folder);
    for (tool, place, says) in [(five, "a:b", "OMP_TOOL_LIBRARIES"), (two, "a b", "LD_PRELOAD")] {
        let place = folder.file(place);
        fs::create_dir(&place).unwrap();
        let moved = place.join("libtool.so");
        fs::copy(tool, &moved).unwrap();
        let output = run(with(&[&moved]).args(["--", "echo", "ran"]));
        assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()));
        assert!(errors(&output).contains(says), "{}", errors(&output));
    }
}

#[test]
fn a_path_with_a_blank_and_one_through_a_link_are_no_trouble_for_openmp_5() {
    let folder = Folder::new();
    let [five, ..] = tools(&folder);
    let place = folder.file("a b");
    fs::create_dir(&place).unwrap();
    fs::copy(&five, place.join("libtool.so")).unwrap();
    symlink(&place, folder.file("link")).unwrap();
    let output = run(with(&[&folder.file("link").join("libtool.so")]).arg("--").arg(folder.program("regions")));
    assert_eq!(lines(&output), ["tool of OpenMP 5: 1 regions"]);
}

#[test]
fn switches_that_keep_tools_away_are_named_and_the_program_runs() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let [five, ..] = tools(&folder);
    for (variable, value) in [("OMP_TOOL", "disabled"), ("OMP_TOOL", " Disabled"), ("ORA_DISABLE", "1")] {
        let output = run(with(&[&five]).env(variable, value).arg("--").arg(&program));
        let said = errors(&output);
        assert_eq!(text(&output), "2\n");
        assert!(said.starts_with(&format!("ora: {variable}=")) && said.contains("no tool will be called"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        // Nobody requested a tool.
        assert_eq!(errors(&run(with(&[]).env(variable, value).arg("--").arg(&program))), "");
    }
}

#[test]
fn a_tool_whose_library_is_missing_is_named_and_the_program_runs() {
    let folder = Folder::new();
    tool(&folder, "preloaded", "libpart.so", &[]);
    let place = format!("-L{}", folder.file("").display());
    let [program, needs] =
        [folder.program("regions"), tool(&folder, "tool5", "needs.so", &["-Wl,--no-as-needed", &place, "-lpart"])];
    let output = run(with(&[&needs]).arg("--").arg(&program));
    assert_eq!(text(&output), "2\n");
    let said = errors(&output);
    assert!(said.contains("needs.so can probably not be loaded: libpart.so was not found"), "{said}");
}

#[test]
fn the_record_names_whom_each_process_asked() {
    let folder = Folder::new();
    let [five, two, _] = tools(&folder);
    let record = folder.file("record");
    let mut command = with(&[&five, &two]);
    command.env("ORA_TOOL_LOG", &record).env("TOOL2", "decline");
    let line = "\"$0\" >&2; OMP_TOOL=disabled \"$0\" >&2";
    run(command.args(["--", "sh", "-c", line]).arg(folder.program("regions")));
    let text = fs::read_to_string(&record).unwrap();
    let lines: Vec<_> = text.lines().map(|line| line.split_once(' ').unwrap()).collect();
    let said: Vec<_> = lines.iter().map(|(_, said)| *said).collect();
    let [five, two] = [five, two].map(|path| path.canonicalize().unwrap().display().to_string());
    assert_eq!(
        said,
        [
            &format!("tr2 asks {two}"),
            "tr2 declined",
            &format!("openmp_5 asks {five}"),
            "openmp_5 attached",
            "tr2 disabled",
            "openmp_5 disabled",
        ]
    );
    assert!(lines[0].0 == lines[3].0 && lines[3].0 != lines[4].0, "{text}");
}

#[test]
fn the_help_tells_of_tools() {
    let help = Command::new(ORA).args(["run", "--help"]).output().unwrap();
    let help = text(&help);
    for word in
        ["--tool", "ompt_start_tool", "ompt_initialize", "ora run --tool ./libmytool.so -- ./program", "ora doctor"]
    {
        assert!(help.contains(word), "{word}: {help}");
    }
}
