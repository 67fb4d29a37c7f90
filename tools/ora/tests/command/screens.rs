//! Layout on terminals: width, styles, pager, progress; a note that many processes share is printed once.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use crate::harness::{Folder, errors, ora, run, stat, text};
use crate::report::profile;
use crate::terminal::{resize, start_on, terminal};

/// Screen of a command on a terminal of this size, to which its stderr goes, and its stdout as well if `both`.
fn on_screen((columns, lines): (u16, u16), command: &mut Command) -> (String, ExitStatus) {
    let (mut hand, path) = terminal();
    resize(&hand, columns, lines);
    let other_end = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    command.stderr(other_end.try_clone().unwrap());
    if command.get_envs().all(|(name, _)| name != "TERM") {
        command.env("TERM", "xterm");
    }
    let mut child = start_on(&path, command);
    // Only the child and its children keep the other end open.
    drop(other_end);
    command.stderr(Stdio::null()).stdout(Stdio::null()).stdin(Stdio::null());
    let reader = thread::spawn(move || {
        let (mut shown, mut some) = (Vec::new(), [0; 4096]);
        // At the end, reading a terminal fails instead of returning 0.
        while let Ok(read @ 1..) = hand.read(&mut some) {
            shown.extend_from_slice(&some[..read]);
        }
        String::from_utf8_lossy(&shown).replace("\r\n", "\n")
    });
    let status = child.wait().unwrap();
    (reader.join().unwrap(), status)
}

/// Text without styles.
fn bare(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |bare, part| bare + part.split_once('m').map_or(part, |(_, rest)| rest))
}

fn widest(text: &str) -> usize {
    bare(text).lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

fn report_of(folder: &Folder) -> Command {
    let mut command = ora(&["report"]);
    command.arg(profile(folder));
    command
}

#[test]
fn no_line_is_longer_than_the_terminal_is_wide() {
    let folder = Folder::new();
    let program = folder.program("constructs");
    let tasks = folder.program("fib");
    let mut seen = Vec::new();
    for columns in [60, 80, 160] {
        let mut shown = Vec::new();
        let mut look = |command: &mut Command, sign: &str| {
            let (text, status) = on_screen((columns, 500), command);
            assert!(status.code().is_some() && text.contains(sign), "{text}");
            assert!(widest(&text) <= usize::from(columns), "{columns} columns:\n{text}");
            let tight = text.as_bytes().windows(2).find(|pair| pair[0].is_ascii_digit() && pair[1] == b'%');
            assert!(tight.is_none() && !text.contains("\n%"), "`12.3 %` is the form of percentages:\n{text}");
            let missing = text.split("No room for: ").skip(1).map(|list| list.split("  ").next().unwrap_or_default());
            let nameless = missing
                .flat_map(|list| list.lines().next())
                .flat_map(|list| list.split(", "))
                .find(|name| *name == "%");
            assert!(nameless.is_none(), "{text}");
            shown.push(text);
        };
        look(ora(&["stat", "--"]).arg(&program), "OpenMP statistics for");
        look(
            ora(&["tasks", "--tree", "--tree-max", "20", "--"]).args([tasks.as_os_str(), "12".as_ref()]),
            "OpenMP tasks of",
        );
        look(&mut report_of(&folder), "OpenMP profile of");
        seen.push(shown);
    }
    // A wide screen shows more.
    let [narrow, _, wide] = &seen[..] else { panic!() };
    for (narrow, wide) in [(&narrow[0], &wide[0]), (&narrow[2], &wide[2])] {
        assert!(narrow.contains("No room for: "), "{narrow}");
        assert!(wide.lines().count() < narrow.lines().count() && widest(wide) > 80, "{wide}");
    }
}

#[test]
fn files_and_pipes_get_all_unless_a_width_is_asked_for() {
    let folder = Folder::new();
    let whole = text(&run(&mut report_of(&folder)));
    assert!(widest(&whole) > 110 && !whole.contains("No room for") && !whole.contains("..."), "{whole}");
    let narrow = text(&run(report_of(&folder).env("COLUMNS", "60")));
    assert!(widest(&narrow) <= 60 && narrow.contains("No room for"), "{narrow}");
    let program = folder.program("regions");
    let narrow = errors(&run(ora(&["stat", "--"]).arg(&program).env("COLUMNS", "60")));
    assert!(widest(&narrow) <= 60, "{narrow}");
    assert!(widest(&errors(&stat(&[], &program, &[]))) > 110);
}

#[test]
fn styles_are_for_terminals_and_for_those_who_ask() {
    let folder = Folder::new();
    let screen = |variables: &[(&str, &str)], options: &[&str]| {
        on_screen((100, 500), report_of(&folder).args(options).envs(variables.iter().copied())).0.contains('\x1b')
    };
    assert!(screen(&[], &[]) && screen(&[("NO_COLOR", "")], &[]));
    assert!(
        !screen(&[("NO_COLOR", "1")], &[]) && !screen(&[("TERM", "dumb")], &[]) && !screen(&[], &["--color=never"])
    );
    assert!(screen(&[("NO_COLOR", "1")], &["--color=always"]));
    let piped = |options: &[&str]| text(&run(report_of(&folder).args(options)));
    assert_eq!(bare(&piped(&["--color", "always"])), piped(&[]));
    assert!(piped(&["--color", "always"]).contains("\x1b[1m") && !piped(&[]).contains('\x1b'));
}

/// Pager that writes its input to a file.
fn pager(folder: &Folder, name: &str) -> (String, PathBuf) {
    let got = folder.file(name);
    (format!("cat > {}; exit 3", got.display()), got)
}

#[test]
fn a_report_that_is_longer_than_the_terminal_goes_through_a_pager() {
    let folder = Folder::new();
    let (command, got) = pager(&folder, "paged");
    let (other, got_by_other) = pager(&folder, "other");
    let look = |lines, options: &[&str]| {
        let _ = fs::remove_file(&got);
        let mut ora = report_of(&folder);
        ora.args(options).env("ORA_PAGER", &command).env("PAGER", &other);
        let (shown, status) = on_screen((100, lines), &mut ora);
        assert!(status.success(), "the pager's exit code is not ours: {status}");
        (shown, fs::read_to_string(&got).ok())
    };
    let (shown, paged) = look(20, &[]);
    let paged = paged.expect("the pager ran");
    assert!(paged.contains("OpenMP profile of") && !shown.contains("OpenMP profile of"), "{shown}");
    assert!(paged.contains("\x1b[1m") && widest(&paged) <= 100, "{paged}");
    for (lines, options) in [(20, &["--no-pager"][..]), (500, &[])] {
        let (shown, paged) = look(lines, options);
        assert!(shown.contains("OpenMP profile of") && paged.is_none(), "{lines} {options:?}");
    }
    let piped = run(report_of(&folder).env("ORA_PAGER", &command));
    assert!(text(&piped).contains("OpenMP profile of") && !got.exists());
    // The second variable applies if the first one is not set.
    on_screen((100, 20), report_of(&folder).env("PAGER", &other));
    assert!(got_by_other.exists());
}

#[test]
fn without_a_pager_the_report_is_on_the_terminal() {
    let folder = Folder::new();
    for missing in ["", "cat", "/no/such/pager", "/no/such/pager 2>/dev/null | sed p"] {
        let (shown, status) = on_screen((100, 20), report_of(&folder).env("ORA_PAGER", missing));
        assert!(status.success());
        assert_eq!(shown.contains("OpenMP profile of"), !missing.contains('|'), "{missing}: {shown}");
    }
}

#[test]
fn a_terminal_shows_which_run_it_is() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let line = |to: &str| {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec \"$0\" stat -r 2 -- \"$1\" {to}")).arg(crate::harness::ORA).arg(&program);
        shell.env("OMP_WAIT_POLICY", "passive");
        on_screen((80, 50), &mut shell).0
    };
    // Nobody else writes to the terminal, so the line is erased.
    let erased = line(">/dev/null");
    assert!(erased.starts_with("\r\x1b[Kora: run 1 of 2\r"), "{erased:?}");
    let (_, rest) = erased.split_once("ora: run 1 of 2\r").unwrap();
    assert!(rest.contains("\r\x1b[K\n") && rest.find("\r\x1b[K") < rest.find("statistics"), "{erased:?}");
    // The program writes to the terminal as well, so nothing may be erased.
    let kept = line("");
    assert!(kept.contains("ora: run 1 of 2\n") && kept.contains("\n2\n") && !kept.contains("\x1b[K"), "{kept:?}");
    assert!(!errors(&stat(&["-r", "2"], &program, &[])).contains("run 1 of 2"));
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_profile_ends_with_a_few_lines() {
    let folder = Folder::new();
    let program = folder.compile("profiled", "profiled", &["-fopenmp", "-pthread", "-rdynamic"]);
    let output = run(ora(&["profile", "-o"]).arg(folder.file("p")).arg("--").arg(&program).args(["split", "0.3"]));
    let lines = errors(&output);
    assert!(lines.lines().count() <= 10 && lines.lines().all(|line| line.starts_with("ora: ")), "{lines}");
    for part in ["OpenMP Work ", "most expensive region: ", "most expensive function: "] {
        assert!(lines.contains(part), "{part} is not in\n{lines}");
    }
    assert!(lines.ends_with(&format!("ora: next: ora report {}\n", folder.file("p").display())), "{lines}");
}

#[test]
fn of_many_processes_the_sum_comes_first() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let line = format!("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do {} 4 >/dev/null; done", program.display());
    let table = errors(&run(ora(&["stat", "--", "sh", "-c"]).arg(&line)));
    assert!(table.contains("Other processes that used OpenMP: 12"), "{table}");
    assert!(table.contains("24 threads, 48 parallel regions, OpenMP Work"), "{table}");
    let first = |text: &str| table.find(text).unwrap_or_else(|| panic!("no {text:?} in {table}"));
    assert!(first("all of them: CPU time") < first("(pid "), "{table}");
    assert_eq!(table.matches("(pid ").count(), 10, "{table}");
    assert!(table.contains("and 2 more (`--rows all` shows them)"), "{table}");
    let all = errors(&run(ora(&["stat", "--rows", "all", "--", "sh", "-c"]).arg(&line)));
    assert_eq!(all.matches("(pid ").count(), 12, "{all}");
}

#[test]
fn a_command_line_with_line_breaks_is_one_line() {
    let output = run(ora(&["stat", "--", "sh", "-c"]).arg("true\n: \x1b[2J"));
    assert!(
        errors(&output).contains("\n OpenMP statistics for 'sh -c $'true\\n: \\x1b[2J'':\n"),
        "{}",
        errors(&output)
    );
}

/// Text blocks of `docs/screens.md`, each with the width that the preceding line names.
fn documented() -> Vec<(usize, String, Vec<String>)> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/screens.md")).unwrap();
    let mut found = Vec::new();
    for part in page.split("\n## ").skip(1) {
        let (title, rest) = part.split_once('\n').unwrap();
        let Some((_, block)) = rest.split_once("```text\n") else { continue };
        let block = block.split_once("\n```").unwrap().0;
        let columns = title.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
        found.push((columns, title.to_owned(), block.lines().map(str::to_owned).collect()));
    }
    found
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_documented_screens_are_as_wide_as_they_say_and_have_the_real_ones_titles() {
    let folder = Folder::new();
    let program = folder.compile("profiled", "profiled", &["-g", "-fopenmp", "-pthread", "-rdynamic"]);
    run(ora(&["profile", "-o"]).arg(folder.file("p")).arg("--").arg(&program).args(["split", "0.5"]));
    let report = text(&run(ora(&["report"]).arg(folder.file("p"))));
    let report = report + &text(&run(&mut report_of(&folder)));
    let table = errors(&stat(&[], &folder.program("constructs"), &[]));
    let known: Vec<&str> = report.lines().chain(table.lines()).collect();
    let screens = documented();
    let widths: Vec<usize> = screens.iter().map(|(columns, ..)| *columns).collect();
    assert_eq!(widths, [80, 80]);
    for (columns, title, lines) in &screens {
        let widest = lines.iter().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= *columns && widest > columns * 3 / 5, "{title}: {widest}");
        // Titles start one column from the edge; the program's name may follow the first word.
        for line in lines.iter().filter(|line| line.starts_with(' ') && !line.starts_with("  ")) {
            let begin: String = line.split('\'').next().unwrap().to_owned();
            assert!(known.iter().any(|known| known.starts_with(&begin)), "{title}: {line:?}");
        }
    }
}
