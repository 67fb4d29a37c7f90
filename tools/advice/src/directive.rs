//! The OpenMP directive at a line of the program's source, so that settings which are already there are not suggested
//! again.

use serde::{Deserialize, Serialize};

use crate::code;
use crate::declarations::is_of_name;
use crate::region_body::{Body, has_tasks};
use crate::sentinel::{self, fortran, is_loop, sentinel, words};
use crate::tally;

/// Maximum number of lines between the directive and the line below it that debug information gives for a region.
const MAX_LINES_ABOVE: usize = 8;
/// Maximum length of a clause's arguments that are shown. Arguments with control characters aren't shown either.
const MAX_ARGUMENT: usize = 60;

/// A directive that starts a parallel region, according to its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Directive {
    /// True if it is combined with a loop.
    pub is_loop: bool,
    /// The arguments of its `schedule` clause, such as `static, 1000`.
    pub schedule: Option<String>,
    /// The argument of its `num_threads` clause.
    pub num_threads: Option<String>,
    /// The argument of its `if` clause.
    pub condition: Option<String>,
    /// True if its loop has an `ordered` clause.
    pub is_ordered: bool,
    /// The variable that a `critical` construct in the loop only adds to.
    pub tally: Option<String>,
    /// True if the region has loops among other constructs, so that the schedule of its work is not known.
    pub has_loops: bool,
    /// True if one of its loops has no tasks in its text: then the region's work is not that of its tasks alone.
    pub has_loop_without_tasks: bool,
    /// True if one of its loops has a schedule that assigns the iterations in advance.
    pub has_static_loop: bool,
    /// True if one of its loops has no barrier at its end.
    pub has_nowait: bool,
    /// The construct that shares its work, if that can't have a `schedule` clause.
    pub without_schedule: Option<String>,
    /// True if the region has a construct that one thread executes: `single`, `master` or `masked`.
    pub has_single: bool,
    /// True if the loop's clauses or its kind of schedule may come from a macro: then the schedule isn't known.
    pub has_macro: bool,
    /// True if the region has tasks with `depend` clauses.
    pub has_depend: bool,
}

impl Directive {
    /// Reads the directive at a line. `None` if the file can't be read or was written after the program had begun, at this time of
    /// CLOCK_REALTIME, or if it doesn't have a directive there.
    pub fn at(file: &str, line: u32, began_ns: Option<u64>) -> Option<Self> {
        Self::parse(&sentinel::source(file, began_ns)?, line)
    }

    /// The directive at a line of this text (counted from 1), or shortly above it.
    pub fn parse(text: &str, line: u32) -> Option<Self> {
        let lines = code::lines(text);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let last = usize::try_from(line).ok()?.checked_sub(1).filter(|last| *last < lines.len())?;
        let first = last.saturating_sub(MAX_LINES_ABOVE);
        let at = (first..=last).rev().find(|at| lines.get(*at).is_some_and(|line| is_parallel(line)))?;
        let written = sentinel(lines.get(at)?)?.to_owned();
        let after = at + 1;
        // If a statement ends in between, the directive belongs to that.
        if lines.get(after..last).unwrap_or_default().iter().any(|line| line.trim_end().ends_with([';', '}'])) {
            return None;
        }
        let rest = lines.get(after..).unwrap_or_default();
        let is_combined = is_loop(&written);
        let body = if is_combined { Body::default() } else { Body::of(rest) };
        let (of_loop, below) = match body.only_loop() {
            Some((text, below)) => (text, after + below),
            None => (&written, after),
        };
        let is_loop = is_combined || body.only_loop().is_some();
        let loops = || body.loops.iter().map(|(text, _)| text.as_str()).chain(is_combined.then_some(written.as_str()));
        let has_loop_without_tasks = body.has_loop_without_tasks || is_combined && !has_tasks(rest);
        Some(Self {
            is_loop,
            is_ordered: is_loop && words(of_loop).any(|word| word == "ordered"),
            schedule: clause(of_loop, "schedule"),
            num_threads: clause(&written, "num_threads"),
            condition: clause(&written, "if"),
            tally: Some(below).filter(|_| is_loop).and_then(|below| tally::of_loop(&lines, below)),
            has_loops: !body.loops.is_empty(),
            has_loop_without_tasks,
            has_static_loop: loops().any(|text| !assigns_as_it_runs(clause(text, "schedule").as_deref())),
            has_nowait: loops().any(|text| words(text).any(|word| word == "nowait")),
            without_schedule: without_schedule(&written, of_loop),
            has_single: body.has_single,
            has_macro: is_loop && (has_macro(&lines, of_loop) || has_macro(&lines, &written)),
            has_depend: body.has_depend,
        })
    }

    /// The chunk of its schedule, if it is written as a name.
    pub(crate) fn named_chunk(&self) -> Option<&str> {
        let chunk = self.schedule.as_ref()?.split_once(',')?.1.trim();
        chunk.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_').then_some(chunk)
    }

    /// The kind and the chunk of its schedule, if both are written.
    pub(crate) fn kind_and_chunk(&self) -> Option<(String, u64)> {
        let (kind, chunk) = self.schedule.as_ref()?.split_once(',')?;
        let kind = kind.rsplit(':').next().unwrap_or(kind).trim().to_ascii_lowercase();
        Some((kind, chunk.trim().parse().ok()?))
    }

    /// True if its loop's chunks have several iterations: by its schedule, or by the one that GNU's and LLVM's runtimes use where
    /// none is written.
    pub(crate) fn has_large_chunks(&self) -> bool {
        let is_static = |kind: &str| kind.rsplit(':').next().unwrap_or(kind).trim().eq_ignore_ascii_case("static");
        let is_large = || self.schedule.as_deref().is_none_or(is_static);
        self.is_loop && self.kind_and_chunk().map_or_else(is_large, |(_, chunk)| chunk > 1)
    }

    /// True if its schedule assigns smaller and smaller chunks.
    pub(crate) fn is_guided(&self) -> bool {
        self.schedule.as_deref().is_some_and(|schedule| schedule.to_ascii_lowercase().contains("guided"))
    }

    /// True if its schedule assigns chunks while the loop runs.
    pub(crate) fn is_dynamic(&self) -> bool {
        assigns_as_it_runs(self.schedule.as_deref())
    }
}

/// Kinds of schedules.
const SCHEDULES: [&str; 5] = ["static", "dynamic", "guided", "auto", "runtime"];

/// True if a word of the clauses is a macro of these lines, or has capital letters as one of C's, or if the schedule's kind is another word.
fn has_macro(lines: &[&str], directive: &str) -> bool {
    let is_fortran = lines.iter().any(|line| fortran(line).is_some());
    let is_kind = |schedule: &str| {
        let kind = schedule.split(',').next().and_then(|kind| kind.rsplit(':').next()).unwrap_or_default();
        SCHEDULES.iter().any(|known| kind.trim().eq_ignore_ascii_case(known))
    };
    if clause(directive, "schedule").is_some_and(|schedule| !is_kind(&schedule)) {
        return true;
    }
    let (mut depth, mut outside) = (0_i32, String::new());
    for char in directive.chars() {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 => outside.push(char),
            _ => {}
        }
        if "()".contains(char) {
            outside.push(' ');
        }
    }
    let mut words = outside.split(|char| !is_of_name(char)).filter(|word| !word.is_empty());
    words
        .any(|word| code::defines(lines, word) || !is_fortran && !word.contains(|char: char| char.is_ascii_lowercase()))
}

fn assigns_as_it_runs(schedule: Option<&str>) -> bool {
    let kind = schedule.map(str::to_ascii_lowercase).unwrap_or_default();
    kind.contains("dynamic") || kind.contains("guided")
}

/// The construct of a combined directive, or the clause of a loop, with which a `schedule` clause is not allowed.
fn without_schedule(written: &str, of_loop: &str) -> Option<String> {
    let is_scan = words(of_loop).any(|word| word == "inscan");
    let construct = words(written).find(|word| ["sections", "workshare", "loop"].contains(&word.as_str()));
    construct.or_else(|| is_scan.then(|| "reduction(inscan)".to_owned()))
}

fn is_parallel(line: &str) -> bool {
    let directive = sentinel(line).unwrap_or_default();
    words(directive).any(|word| word == "parallel") && words(directive).next().is_none_or(|first| first != "end")
}

/// The text between the parentheses of a clause.
fn clause(directive: &str, name: &str) -> Option<String> {
    let lower = directive.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let at = from + lower.get(from..)?.find(name)?;
        from = at + name.len();
        let before = lower.get(..at)?.chars().next_back();
        let Some(arguments) = directive.get(from..)?.trim_start().strip_prefix('(') else { continue };
        if before.is_some_and(|before| before.is_ascii_alphanumeric() || before == '_') {
            continue;
        }
        let mut depth = 1_u32;
        let end = arguments.find(|char: char| {
            depth = match char {
                '(' => depth + 1,
                ')' => depth - 1,
                _ => depth,
            };
            depth == 0
        })?;
        let argument = arguments.get(..end)?.trim();
        let is_shown = argument.len() <= MAX_ARGUMENT && !argument.contains(char::is_control);
        return is_shown.then(|| argument.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn clauses_are_read_at_the_line_or_above_it() {
        let text =
            "int f() {\n#pragma omp parallel for \\\n  schedule(static, 1000) if(n > (2)) num_threads(k)\n  for (;;)\n";
        let read = Directive::parse(text, 4).unwrap();
        assert!(read.is_loop && !read.is_dynamic());
        assert_eq!(read.kind_and_chunk(), Some(("static".to_owned(), 1000)));
        assert_eq!((read.condition.as_deref(), read.num_threads.as_deref()), (Some("n > (2)"), Some("k")));
        assert_eq!(Directive::parse(text, 1), None);
        let fortran = "!$OMP PARALLEL DO &\n!$OMP SCHEDULE(monotonic:dynamic,4)\n do i = 1, n\n";
        let read = Directive::parse(fortran, 3).unwrap();
        assert!(read.is_loop && read.is_dynamic());
        assert_eq!(read.kind_and_chunk(), Some(("dynamic".to_owned(), 4)));
        assert_eq!(Directive::parse("#pragma omp parallel\n{", 2).unwrap(), Directive::default());
        assert_eq!(Directive::parse("#pragma omp taskloop\n", 1), None);
        assert_eq!(Directive::parse("", 0), None);
        let hostile = "#pragma omp parallel if(\u{1b}[2J) num_threads(2)\n";
        let read = Directive::parse(hostile, 1).unwrap();
        assert_eq!((read.condition, read.num_threads.as_deref()), (None, Some("2")));
    }

    #[test]
    fn the_loop_of_a_region_is_read_where_it_is_the_only_construct_of_its_body() {
        let c = |body: &str| Directive::parse(&format!("#pragma omp parallel if(n)\n{body}\nmore();\n"), 1).unwrap();
        let one = c("{\n  int own;\n#pragma omp for schedule(static, 1000)\n  for (;;) { f(); }\n}");
        assert!(one.is_loop && one.schedule.as_deref() == Some("static, 1000") && one.condition.is_some(), "{one:?}");
        assert!(
            c("#pragma omp for\n  for (;;)\n    f();\n#pragma omp parallel for schedule(dynamic)\n").schedule.is_none()
        );
        let two = c("{\n#pragma omp for schedule(static, 9)\n  for (;;) f();\n#pragma omp for\n  for (;;) f();\n}");
        assert!(!two.is_loop && two.has_loops && two.schedule.is_none(), "{two:?}");
        let single = c("for (;;) {\n#pragma omp single\n  f();\n#pragma omp for\n  for (;;) f();\n}");
        assert!(!single.is_loop && single.has_single && single.has_loops, "{single:?}");
        let chain = c("#pragma omp single\n  for (;;) {\n#pragma omp task depend(inout: x)\n    f();\n  }");
        assert!(chain.has_depend && chain.has_single && !chain.has_loops, "{chain:?}");
        let fortran = "!$omp parallel\n!$omp do &\n!$omp schedule(static,1000)\n do i = 1, n\n end do\n!$omp end do\n!$omp end parallel\n";
        let read = Directive::parse(fortran, 1).unwrap();
        assert!(read.is_loop && read.schedule.as_deref() == Some("static,1000"), "{read:?}");
    }

    #[test]
    fn constructs_that_take_no_schedule_are_known() {
        let of = |directive: &str| Directive::parse(&format!("{directive}\nfor (;;) f();\n"), 1).unwrap();
        for (directive, construct) in [
            ("#pragma omp parallel for schedule(dynamic)", None),
            ("#pragma omp parallel sections", Some("sections")),
            ("#pragma omp parallel loop", Some("loop")),
            ("!$omp parallel workshare", Some("workshare")),
            ("#pragma omp parallel for reduction(inscan, +:x)", Some("reduction(inscan)")),
            ("#pragma omp parallel num_threads(loop_threads)", None),
        ] {
            assert_eq!(of(directive).without_schedule.as_deref(), construct, "{directive}");
        }
        assert!(
            of("#pragma omp parallel for").has_static_loop
                && !of("#pragma omp parallel for schedule(guided)").has_static_loop
        );
        let two = "#pragma omp parallel\n{\n#pragma omp for nowait\nfor (;;) f();\n#pragma omp for schedule(dynamic)\nfor (;;) f();\n}\n";
        let two = Directive::parse(two, 1).unwrap();
        assert!(two.has_nowait && two.has_static_loop && two.has_loop_without_tasks && !two.is_loop);
    }

    #[test]
    fn a_schedule_that_may_come_from_a_macro_is_not_known() {
        let of = |head: &str, clauses: &str| {
            let text = format!("{head}\n#pragma omp parallel for {clauses}\nfor (;;) f();\n");
            Directive::parse(&text, 2).unwrap().has_macro
        };
        assert!(
            of("", "SCHED") && of("#define sched schedule(guided)", "sched private(x)") && of("", "schedule(KIND, 4)")
        );
        assert!(!of("#define N 9", "num_threads(N) schedule(monotonic: dynamic, N) reduction(+:A)"));
        let fortran = "c$OMP PARALLEL DO private(k,x)\nc$omp+ schedule(dynamic,2000)\n      do i=1,n\n";
        let read = Directive::parse(fortran, 1).unwrap();
        assert!(!read.has_macro && read.schedule.as_deref() == Some("dynamic,2000"), "{read:?}");
    }

    #[test]
    fn words_of_comments_are_no_clauses() {
        let of = |text: &str| Directive::parse(text, 1).unwrap();
        assert!(!of("#pragma omp parallel   // one team for all time steps\n{\n").is_loop);
        assert!(!of("!$omp parallel private(i) ! do everything\n").is_loop);
        assert_eq!(of("#pragma omp parallel for /* schedule(dynamic,100) was slower */\n").schedule, None);
    }

    #[test]
    fn a_source_that_is_newer_than_the_run_is_not_read() {
        let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();
        let file = folder.path().join("a.c");
        std::fs::write(&file, "#pragma omp parallel for\n").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        let name = file.display().to_string();
        let is_read = |began_ns| Directive::at(&name, 1, began_ns).is_some();
        assert!(is_read(None) && is_read(Some(u64::MAX)) && !is_read(Some(1_000_000_000)));
    }

    #[test]
    fn a_directive_of_an_earlier_statement_is_not_that_of_the_line() {
        let text = "#pragma omp parallel for schedule(dynamic, 4)\nfor (;;)\n  f();\nPARALLEL_FOR(x)\nfor (;;)\n";
        assert!(Directive::parse(text, 2).is_some());
        assert_eq!(Directive::parse(text, 4), None);
    }
}
