//! Table of supported events: those that tools of each interface get on each runtime. It is generated (`tables/support.txt`), with a short
//! form in `docs/reference/support.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::forge::Forge;
use crate::numbers::event;
use crate::ompt5::{self, ToolTrace};
use crate::pomp::{self, Form};
use crate::run::{Launch, Outcome};
use crate::skips::skip;
use crate::stacks::{self, Stack};
use crate::tr2;

/// Programs that together raise all events, with arguments where they need them.
const PROGRAMS: [(&str, &[&str]); 17] = [
    ("parallel.c", &[]),
    ("loops.c", &[]),
    ("combined.c", &[]),
    ("sections.c", &[]),
    ("single.c", &[]),
    ("barriers.c", &[]),
    ("ordered.c", &[]),
    ("atomic.c", &[]),
    ("locks.c", &[]),
    ("tasks.c", &[]),
    ("untied.c", &[]),
    ("nested.c", &[]),
    ("ompt5.c", &["critical", "region", "tasks"]),
    ("ompt5.c", &["queued", "cancel", "control"]),
    ("held.c", &[]),
    ("held.c", &["ordered"]),
    ("pomp/constructs.c", &[]),
];

/// Cell of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupportCell {
    /// The event is reported.
    Reported,
    /// A registration is accepted, but no test program raises the event.
    Silent,
    /// A registration is answered with "never".
    Refused,
}

impl SupportCell {
    fn of(accepted: bool, reported: bool) -> Self {
        match (accepted, reported) {
            (_, true) => Self::Reported,
            (true, false) => Self::Silent,
            (false, false) => Self::Refused,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Reported => "yes",
            Self::Silent => "silent",
            Self::Refused => "no",
        }
    }
}

/// Cells of a stack, by interface and event.
pub type Column = BTreeMap<(&'static str, String), SupportCell>;

/// Launcher for a column's programs: returns the launch of the program of this source, if it can be built.
pub type Runs<'a> = dyn Fn(&str) -> Option<Launch> + 'a;

/// Columns of programs instrumented by OPARI, listed after those of [`stacks::ALL`]: with libgomp as a shared library, and linked
/// statically.
pub const INSTRUMENTED: [(&str, Form); 2] =
    [("gcc+OPARI/libgomp", Form::Dynamic), ("gcc+OPARI/static-libgomp", Form::Static)];

/// The names of all columns.
fn names() -> Vec<String> {
    stacks::ALL.map(stacks::column).into_iter().chain(INSTRUMENTED.map(|(name, _)| name.to_owned())).collect()
}

/// Launches the program of this source on a stack.
pub fn on_stack(forge: &Forge, stack: &Stack, source: &str) -> Option<Launch> {
    stack.program(forge, source).map(|program| stack.launch(forge, &program))
}

/// Launches the program of this source as instrumented by OPARI.
pub fn instrumented(forge: &Forge, form: Form, source: &str) -> Option<Launch> {
    pomp::attempt(forge, source, form, &[]).ok().map(|program| Launch::of(forge, &program))
}

/// Runs the programs under a tool of each interface, and returns the column.
///
/// # Panics
/// If a trace can't be parsed.
pub fn column(forge: &Forge, runs: &Runs<'_>) -> Column {
    let mut column = Column::new();
    let mut add = |face, name: &str, accepted, reported| {
        column.insert((face, name.to_owned()), SupportCell::of(accepted, reported));
    };
    let (mut answers, mut raised) = (BTreeMap::new(), BTreeSet::new());
    each(
        runs,
        |launch| launch.with_ora().with_collector(&forge.collector("probing.c")),
        |outcome| {
            let trace = outcome.trace();
            raised.extend(trace.events().map(|r| r.event));
            answers.extend(trace.answers);
        },
    );
    for number in 1..=event::LAST {
        add("ORA", event::name(number), answers.get(&number) == Some(&0), raised.contains(&number));
    }
    let (mut answers, mut raised) = (BTreeMap::new(), BTreeSet::new());
    each(
        runs,
        |launch| launch.with_ora().with_collector(&tr2::verdict::tool(forge)),
        |outcome| {
            let trace = tr2::verdict::trace(outcome);
            raised.extend(trace.records.iter().map(|r| r.event));
            answers.extend(trace.answers);
        },
    );
    for number in 1..=61 {
        let accepted = answers.get(&number).is_some_and(|(set, _)| *set > 1);
        add("TR2", tr2::numbers::event_name(number), accepted, raised.contains(&number));
    }
    let (mut answers, mut raised) = (BTreeMap::new(), BTreeSet::new());
    let tool = ompt5::tool(forge);
    each(
        runs,
        |launch| ompt5::named(launch.with_ora().with_trace(), &tool),
        |outcome| {
            let reports = ToolTrace::of(outcome);
            raised.extend(reports.all().iter().filter_map(|line| line.split(' ').next()).map(str::to_owned));
            answers.extend(reports.answers().into_iter().map(|(name, answer)| (name.to_owned(), answer)));
        },
    );
    for (name, answer) in &answers {
        add("5.x", name, *answer > 1, raised.contains(name));
    }
    waits_for_atomic_updates(&mut column);
    column
}

/// Copies the cells of atomic updates to those of waits for them: no program can force a thread to arrive while another one is in an atomic
/// update.
fn waits_for_atomic_updates(column: &mut Column) {
    let Some(updates) = column.get(&("TR2", "acquired_atomic".to_owned())).copied() else { return };
    for key in [("ORA", "BEGIN_ATWT"), ("ORA", "END_ATWT"), ("TR2", "wait_atomic")] {
        column.insert((key.0, key.1.to_owned()), updates);
    }
}

/// Calls `look` for each run of a program that can be built and that the runtime can run.
fn each(runs: &Runs<'_>, with: impl Fn(Launch) -> Launch, mut look: impl FnMut(&Outcome)) {
    for (source, arguments) in PROGRAMS {
        let Some(launch) = runs(source) else { continue };
        let launch = launch.threads(4).env("OMP_CANCELLATION", "true");
        let launch = arguments.iter().fold(launch, |launch, argument| launch.arg(argument));
        let (ended, outcome) = with(launch).attempt();
        if !ended {
            skip(source, "it does not end in time");
        }
        if ended && outcome.status.success() && outcome.trace_of(outcome.pid).is_some() {
            look(&outcome);
        }
    }
}

/// Table with a row for each event, and a column for each stack of [`stacks::ALL`] and for [`INSTRUMENTED`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    rows: BTreeMap<(String, String), BTreeMap<String, String>>,
}

impl Table {
    /// Parses a table; unreadable lines are skipped.
    pub fn parse(text: &str) -> Self {
        let mut table = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace().map(str::to_owned);
            let Some(key) = words.next().zip(words.next()) else { continue };
            table.rows.insert(key, names().into_iter().zip(words).collect());
        }
        table
    }

    /// Sets a column of the table.
    pub fn set(&mut self, stack: &str, column: &Column) {
        for ((face, event), cell) in column {
            let row = self.rows.entry(((*face).to_owned(), event.clone())).or_default();
            row.insert(stack.to_owned(), cell.word().to_owned());
        }
    }

    /// Text of the table, as checked in.
    pub fn text(&self) -> String {
        let names = names();
        let mut text = format!("{HEAD}# interface event {}\n", names.join(" "));
        for ((face, event), row) in &self.rows {
            let cells = names.iter().map(|name| row.get(name).map_or("?", String::as_str));
            text.push_str(&format!("{face} {event} {}\n", cells.collect::<Vec<_>>().join(" ")));
        }
        text
    }

    /// Table in Markdown, shortened: events with the same cells share a row.
    pub fn markdown(&self) -> String {
        let names = names();
        let rule = "|---".repeat(names.len() + 2);
        let mut text = format!("| | event | {} |\n{rule}|\n", names.join(" | "));
        for face in ["ORA", "TR2", "5.x"] {
            let mut groups: Vec<(Vec<String>, Vec<String>)> = Vec::new();
            for ((_, event), row) in self.rows.iter().filter(|((of, _), _)| of == face) {
                let cells: Vec<String> = names.iter().map(|name| row.get(name).cloned().unwrap_or_default()).collect();
                match groups.iter_mut().find(|(same, _)| *same == cells) {
                    Some((_, events)) => events.push(event.clone()),
                    None => groups.push((cells, vec![event.clone()])),
                }
            }
            for (cells, events) in groups {
                text.push_str(&format!("| {face} | {} | {} |\n", pairs(&events).join(", "), cells.join(" | ")));
            }
        }
        text
    }
}

const HEAD: &str = "# What tools of each interface are told on each runtime, by the programs of the tests (src/support.rs). Generated:\n\
    # ORA_WRITE_TABLES=1 ORA_COMPAT=full cargo test --release -p compat-tests support:: -- --ignored\n\
    # yes: it is told; silent: a registration is accepted, but no program gets it told; no: it is answered with \"never\"\n#\n";

/// Names of events. A pair of events for a start and an end has one name.
fn pairs(events: &[String]) -> Vec<String> {
    let begin = |end: &str| end.replacen("END", "BEGIN", 1).replacen("_end", "_begin", 1);
    let is_end = |event: &str| begin(event) != event && events.contains(&begin(event));
    let has_end = |event: &str| events.iter().any(|other| other != event && begin(other) == event);
    let kept = events.iter().filter(|event| !is_end(event));
    let short = |event: &String| {
        if has_end(event) { event.replacen("BEGIN_", "", 1).replacen("_begin", "", 1) } else { event.clone() }
    };
    kept.map(short).map(|event| format!("`{event}`")).collect()
}

/// Text of a page with this table between the marks.
///
/// # Errors
/// If the page has no marks.
pub fn in_page(page: &str, table: &str) -> Result<String, String> {
    let (begin, end) = ("<!-- support: generated -->\n", "<!-- end of support -->\n");
    let (before, rest) = page.split_once(begin).ok_or("no begin of the support table")?;
    let (_, behind) = rest.split_once(end).ok_or("no end of the support table")?;
    Ok(format!("{before}{begin}{table}{end}{behind}"))
}

/// Path of the page that contains the short form.
pub fn page(project_dir: &Path) -> std::path::PathBuf {
    project_dir.join("docs/reference/support.md")
}

/// Path of the table.
pub fn path(crate_dir: &Path) -> std::path::PathBuf {
    crate_dir.join("tables/support.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_back_and_events_with_the_same_cells_share_a_row() {
        let column = |cell| {
            let events = ["a_begin", "a_end", "b"].map(|event| (("TR2", event.to_owned()), cell));
            Column::from(events)
        };
        let mut table = Table::default();
        names().iter().for_each(|name| table.set(name, &column(SupportCell::Reported)));
        assert_eq!(Table::parse(&table.text()), table);
        assert!(table.markdown().contains("| TR2 | `a`, `b` | yes |"), "{}", table.markdown());
        table.set("clang/libomp-19", &column(SupportCell::Silent));
        assert_ne!(Table::parse(&table.text()), Table::default());
        assert!(table.text().contains("TR2 b yes silent yes"), "{}", table.text());
    }

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let page = "a\n<!-- support: generated -->\nold\n<!-- end of support -->\nb\n";
        let new = in_page(page, "new\n").unwrap();
        assert_eq!(new, page.replace("old", "new"));
        assert!(in_page("nothing", "new").is_err());
    }
}
