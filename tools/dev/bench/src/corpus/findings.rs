//! Findings that `ora` prints about a program.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ::corpus::{Case, Command as Watched, Member, Target};
use anyhow::{Context, Result};

use super::build::Built;
use crate::programs::Programs;

/// A program that has not ended after this time counts as hanging.
const HANGS: Duration = Duration::from_secs(3);
/// Maximum time for a watched program.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// Prefix of the lines in which an `ora` with the feature `record` prints facts.
const RECORDED: &str = "ora facts ";

/// Facts, in JSON, that the last run of `ora` has printed.
pub(super) fn facts(programs: &Programs) -> Result<Vec<String>> {
    let text = fs::read(messages(programs)).context("no messages of ora")?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(text.lines().filter_map(|line| line.strip_prefix(RECORDED)).map(str::to_owned).collect())
}

/// File for what `ora` and the program write to stderr.
fn messages(programs: &Programs) -> PathBuf {
    programs.file("corpus-messages")
}

/// Texts of the findings, in the order in which `ora` prints them.
pub(super) fn of(programs: &Programs, case: &Case, member: Member, built: &Built) -> Result<Vec<String>> {
    let ora = programs.ora()?;
    let answer = programs.file("corpus-answer");
    let _ = fs::remove_file(&answer);
    let messages = File::create(messages(programs))?;
    let words = |words: &[&str]| {
        std::iter::once(ora.clone().into()).chain(words.iter().map(OsString::from)).collect::<Vec<_>>()
    };
    let watch = |before: &[&str]| -> Result<()> {
        let mut watched_by = words(before);
        watched_by.push("-o".into());
        watched_by.push(answer.clone().into());
        watched_by.push("--".into());
        let command = built.command(case, member, &watched_by)?;
        wait(start(command, messages.try_clone()?.into())?, MAX_WAIT).map(|_| ())
    };
    match case.command {
        Watched::Stat => watch(&["stat"])?,
        Watched::Tasks => watch(&["tasks"])?,
        Watched::Race => watch(&["race"])?,
        Watched::Scale => watch(&["scale", "-t", "1,2"])?,
        Watched::Report => {
            let recording = programs.file("corpus-recording");
            let _ = fs::remove_dir_all(&recording);
            let mut watched_by = words(&["profile", "-o"]);
            watched_by.extend([recording.clone().into(), "--".into()]);
            wait(start(built.command(case, member, &watched_by)?, Stdio::null())?, MAX_WAIT)?;
            let output = Command::new(&ora).arg("report").arg(&recording).stderr(messages).output()?;
            fs::write(&answer, output.stdout)?;
        }
        Watched::Hang => return hang(&ora, case, member, built),
    }
    // A finding must not contain the case's own name.
    let text = fs::read_to_string(&answer).unwrap_or_default().replace(&case.name, "case");
    Ok(match case.command {
        Watched::Race => numbered(&text),
        Watched::Scale => after_headline(paragraphs(&text)),
        _ => paragraphs(&text),
    })
}

/// Starts a command in a process group of its own.
fn start(mut command: Command, messages: Stdio) -> Result<Child> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages).process_group(0);
    command.spawn().with_context(|| format!("cannot start {:?}", command.get_program()))
}

/// Waits for the end of a command, and kills its process group after `max_wait`. Returns false if it had to.
fn wait(mut child: Child, max_wait: Duration) -> Result<bool> {
    let begin = Instant::now();
    while begin.elapsed() < max_wait {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        sleep(Duration::from_millis(20));
    }
    Command::new("kill").args(["-KILL", "--"]).arg(format!("-{}", child.id())).status()?;
    child.wait()?;
    Ok(false)
}

/// Examines a program that hangs; a program that ends has no finding.
fn hang(ora: &std::path::Path, case: &Case, member: Member, built: &Built) -> Result<Vec<String>> {
    let mut child = start(built.command(case, member, &[])?, Stdio::null())?;
    let begin = Instant::now();
    while begin.elapsed() < HANGS {
        if child.try_wait()?.is_some() {
            return Ok(Vec::new());
        }
        sleep(Duration::from_millis(20));
    }
    let own = child.id();
    let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    let process = match case.target {
        Target::Parent => own.to_string(),
        Target::Child => children.split_whitespace().next().unwrap_or_default().to_owned(),
    };
    let output = Command::new(ora).args(["hang", &process]).output()?;
    wait(child, Duration::ZERO)?;
    let text = String::from_utf8_lossy(&output.stdout);
    // The first line contains the process, and the stacks of threads follow the deductions from them.
    let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let verdict = head.rsplit_once("): ").map_or(head, |(_, verdict)| verdict);
    let is_stack = |line: &str| line.starts_with("   thread ") && line.contains("): ");
    let deduced = rest.lines().take_while(|line| !is_stack(line));
    Ok(vec![joined(std::iter::once(verdict).chain(deduced))])
}

/// Paragraphs that start with "Finding:"; their continuation lines are indented further.
fn paragraphs(text: &str) -> Vec<String> {
    let (mut found, mut inside) = (Vec::<String>::new(), None);
    for line in text.lines() {
        let row = line.trim_start();
        let indentation = line.len() - row.len();
        if let Some(first) = row.strip_prefix("Finding: ") {
            found.push(first.trim_end().to_owned());
            inside = Some(indentation);
        } else if row.is_empty() || inside.is_some_and(|begin| indentation <= begin) {
            inside = None;
        } else if let Some(last) = found.last_mut().filter(|_| inside.is_some()) {
            last.push(' ');
            last.push_str(row.trim_end());
        }
    }
    found
}

/// Joins the speed-up, which always comes first in the output of `ora scale`, with the next finding about the program.
fn after_headline(findings: Vec<String>) -> Vec<String> {
    let mut rest = findings.into_iter();
    let headline = rest.next();
    let mut rest = rest.filter(|text| ::corpus::has_cure(text));
    let first: Vec<_> = headline.into_iter().chain(rest.by_ref().take(1)).collect();
    if first.is_empty() { Vec::new() } else { std::iter::once(first.join(" ")).chain(rest).collect() }
}

/// Rows of a race that are part of the finding: rows about the missing order only describe the race.
const ROWS: [&str; 5] = ["memory", "read", "write", "likely", "possible"];

/// Numbered blocks in the output of `ora race`.
fn numbered(text: &str) -> Vec<String> {
    let (mut races, mut is_inside) = (Vec::<String>::new(), false);
    for line in text.lines() {
        let row = line.trim();
        if row.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok()) {
            races.push(String::new());
            is_inside = true;
        } else if line.starts_with("   ") && !line.starts_with("    ") {
            is_inside = ROWS.iter().any(|name| row.contains(name)) && !row.starts_with("missing");
        } else if !line.starts_with(' ') {
            is_inside = false;
        }
        if let Some(race) = races.last_mut().filter(|_| is_inside) {
            race.push_str(row);
            race.push(' ');
        }
    }
    races
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Part of the wall time that a finding promises to save, in percent.
pub(super) fn predicted(text: &str) -> Option<f64> {
    text.split_once("That would save")?.1.split_once(" % of the wall time")?.0.rsplit(' ').next()?.parse().ok()
}
