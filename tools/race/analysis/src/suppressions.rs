//! Lists of races to leave out.

use std::path::Path;

use terminal::printable::Shown;

use crate::finding::Finding;
use crate::frames::Frame;

/// One line of a file, and how many races it has left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    kind: Kind,
    pattern: String,
    /// Number of findings.
    pub(crate) used: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Whole name of a function on either stack.
    Function,
    /// File, or `file:line`, of either access.
    Place,
    /// Whole name of the variable.
    Variable,
    /// As in a file for ThreadSanitizer: part of a function, file or object of any frame, or of the variable.
    Race,
}

const KINDS: [(&str, Kind); 4] =
    [("function", Kind::Function), ("place", Kind::Place), ("variable", Kind::Variable), ("race", Kind::Race)];
/// Kinds of ThreadSanitizer's suppressions that do not concern data races.
const OTHERS: [&str; 6] = ["race_top", "thread", "mutex", "signal", "deadlock", "called_from_lib"];

/// The rules in the text of a file.
///
/// # Errors
/// With a message, if a line is not a suppression.
pub fn parse(text: &str, path: &Path) -> Result<Vec<Rule>, String> {
    let mut rules = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts = line.split_once(':').map(|(kind, pattern)| (kind.trim(), pattern.trim()));
        let known = parts.and_then(|(kind, pattern)| {
            let (_, kind) = KINDS.iter().find(|(name, _)| *name == kind)?;
            (!pattern.is_empty()).then(|| Rule { kind: *kind, pattern: pattern.to_owned(), used: 0 })
        });
        match known {
            Some(rule) => rules.push(rule),
            None if parts.is_some_and(|(kind, _)| OTHERS.contains(&kind)) => {}
            None => {
                return Err(format!(
                    "{}:{number}: `{}` is not a suppression: a line is function:NAME, place:FILE, place:FILE:LINE, \
                         variable:NAME or race:NAME",
                    path.shown(),
                    line.shown()
                ));
            }
        }
    }
    Ok(rules)
}

/// Removes the findings that a rule matches; each counts for the first such rule.
pub(crate) fn apply(findings: Vec<Finding>, rules: &mut [Rule]) -> Vec<Finding> {
    let mut left = findings;
    left.retain(|finding| match rules.iter_mut().find(|rule| rule.names(finding)) {
        Some(rule) => {
            rule.used += 1;
            false
        }
        None => true,
    });
    left
}

impl Rule {
    fn names(&self, finding: &Finding) -> bool {
        let frames = || finding.sides.iter().flat_map(|side| &side.stack);
        let name = finding.variable.name.as_deref();
        match self.kind {
            Kind::Function => frames().any(|frame| {
                matches(&self.pattern, symbols::brief(&frame.function)) || matches(&self.pattern, &frame.function)
            }),
            Kind::Place => finding.sides.iter().filter_map(|side| side.frame()).any(|frame| self.names_place(frame)),
            Kind::Variable => name.is_some_and(|name| {
                let whole = name.split(['[', '.', '(', '-']).next().unwrap_or(name);
                matches(&self.pattern, name) || matches(&self.pattern, whole)
            }),
            Kind::Race => {
                let pattern = anywhere(&self.pattern);
                let named = |text: &str| matches(&pattern, text);
                name.is_some_and(named)
                    || frames().any(|frame| {
                        [Some(frame.function.as_str()), frame.file.as_deref(), Some(frame.object.as_str())]
                            .into_iter()
                            .flatten()
                            .any(named)
                    })
            }
        }
    }

    fn names_place(&self, frame: &Frame) -> bool {
        let Some(file) = frame.file.as_deref() else { return false };
        let names = [file, frame.short_file().unwrap_or(file)];
        let ends = format!("*/{}", self.pattern);
        names.into_iter().any(|name| {
            let with_line = format!("{name}:{}", frame.line);
            [name, with_line.as_str()].iter().any(|text| matches(&self.pattern, text) || matches(&ends, text))
        })
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or("", |(name, _)| name);
        write!(out, "{name}:{}", self.pattern)
    }
}

/// ThreadSanitizer's pattern as one for a whole text: it matches anywhere unless anchored by `^` and `$`.
fn anywhere(pattern: &str) -> String {
    let (begin, pattern) = pattern.strip_prefix('^').map_or(("*", pattern), |rest| ("", rest));
    let (end, pattern) = pattern.strip_suffix('$').map_or(("*", pattern), |rest| ("", rest));
    format!("{begin}{pattern}{end}")
}

/// True if a pattern, in which `*` is any text, matches all of a text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(begin) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match text.find(part) {
            Some(at) => text = text.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    text.len() >= last.len() && text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Side, Variable};

    fn finding() -> Finding {
        let frame = |function: &str, line| Frame {
            function: function.to_owned(),
            file: Some("/src/app/heat.c".to_owned()),
            line,
            object: "heat".to_owned(),
            ..Frame::default()
        };
        let one = Side { stack: vec![frame("app::smooth(double*)", 10), frame("main", 40)], ..Side::default() };
        let other = Side { stack: vec![frame("add_up", 21)], ..Side::default() };
        Finding {
            sure: true,
            why_possible: None,
            sides: [one, other],
            variable: Variable { name: Some("grid[3].x".to_owned()), ..Variable::default() },
            times: 1,
            runs: [1].into(),
            pids: [1].into(),
            teams: [2].into(),
        }
    }

    #[test]
    fn each_kind_names_what_it_says_and_nothing_else() {
        for (line, names) in [
            ("function:main", true),
            ("function:app::smooth", true),
            ("function:smooth", false),
            ("function:*smooth*", true),
            ("place:heat.c", true),
            ("place:heat.c:21", true),
            ("place:app/heat.c:10", true),
            ("place:heat.c:40", false),
            ("place:eat.c", false),
            ("variable:grid", true),
            ("variable:grid[3].x", true),
            ("variable:gri", false),
            ("race:smooth", true),
            ("race:^add_up$", true),
            ("race:^up$", false),
            ("race:grid", true),
            ("race:/app/", true),
        ] {
            let mut rules = parse(line, Path::new("s")).unwrap();
            let left = apply(vec![finding()], &mut rules).len();
            assert_eq!((left, rules[0].used), if names { (0, 1) } else { (1, 0) }, "{line}");
            assert_eq!(rules[0].to_string(), line);
        }
    }

    #[test]
    fn comments_and_other_kinds_are_passed_over_and_mistakes_are_told_with_their_line() {
        let rules = parse("# known\n\n race: a \nthread:b\nfunction:c # d\n", Path::new("s")).unwrap();
        assert_eq!(rules.iter().map(ToString::to_string).collect::<Vec<_>>(), ["race:a", "function:c # d"]);
        for wrong in ["main", "race:", "funktion:a"] {
            let failure = parse(&format!("race:x\n{wrong}\n"), Path::new("known.txt")).unwrap_err();
            assert!(failure.starts_with("known.txt:2: "), "{failure}");
        }
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*", "a", true),
            ("*a*b", "xaxxb", true),
            ("a*a", "a", false),
            ("*ab", "aab", true),
            ("a*b*c", "a-c-b", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
