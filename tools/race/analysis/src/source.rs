//! Lines of the program's sources, and what their text shows about an assignment. Not a parser: if a line is not understood,
//! it yields nothing.

use std::collections::HashMap;
use std::rc::Rc;

use crate::frames::Frame;
use crate::syntax::{self, COMPOUND, File, Function, Use};

/// Source files that were read.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    lines: symbols::source::Sources,
    files: HashMap<String, Option<File>>,
}

impl Sources {
    /// The line of a frame, without surrounding blanks. For an atomic construct it is the one below the directive.
    pub(crate) fn line(&mut self, frame: &Frame) -> Option<&str> {
        let file = frame.file.as_deref()?;
        let is_atomic = self.at(file, frame.line).and_then(directive).is_some_and(|text| text.starts_with("atomic"));
        self.at(file, frame.line + u32::from(is_atomic))
    }

    /// A line of a file, from 1, without surrounding blanks; `None` for an empty one.
    pub(crate) fn at(&mut self, file: &str, line: u32) -> Option<&str> {
        self.lines.at(file, line).map(str::trim).filter(|line| !line.is_empty())
    }

    /// The function that contains a frame, parsed. `None` without its source, if that is not understood, and for one of the system.
    pub(crate) fn function(&mut self, frame: &Frame) -> Option<Rc<Function>> {
        let name = frame.file.as_deref().filter(|_| !frame.is_of_system())?;
        let read = || File::new(&self.lines.lines(name)?.join("\n"), name);
        self.files.entry(name.to_owned()).or_insert_with(read).as_mut()?.function(frame.line)
    }
}

/// Text of an OpenMP directive after `omp`, in lower case.
pub(crate) fn directive(line: &str) -> Option<String> {
    let line = line.to_ascii_lowercase();
    let rest = line.strip_prefix('#').map(|rest| rest.trim_start().strip_prefix("pragma").unwrap_or_default());
    let rest = rest.or_else(|| line.strip_prefix("!$"))?;
    Some(rest.trim_start().strip_prefix("omp")?.trim().to_owned())
}

/// An assignment in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    /// Expression that is assigned to: `a[i]`.
    pub(crate) target: String,
    /// The variable in it: `a`.
    pub(crate) variable: String,
    /// The operator of an update (`+`, `max`); `None` for a plain assignment.
    pub(crate) update: Option<&'static str>,
    /// Expression that is assigned; empty for an update.
    pub(crate) value: String,
}

/// The only assignment in a line of C, C++ or Fortran; `None` if there is none, or several.
pub(crate) fn assignment(line: &str) -> Option<Assignment> {
    let code = without_comment(line);
    let mut all = statements(code).filter_map(of_statement);
    let Some(first) = all.next() else { return of_loop(code) };
    all.next().is_none().then_some(first)
}

/// The variable of a C loop, which only the loop's head assigns: not an update that a reduction could replace.
fn of_loop(code: &str) -> Option<Assignment> {
    let head = code.trim_start().strip_prefix("for")?.trim_start().strip_prefix('(')?;
    let mut parts = head.split(';');
    let (first, step) = (parts.next()?.trim(), parts.nth(1)?);
    let step = step.get(..step.find(')').unwrap_or(step.len()))?;
    let assignment = of_statement(step.trim())?;
    // `int i = 0`: no other thread can access it.
    let is_declared = of_statement(first).is_none() && !first.is_empty();
    (!is_declared).then_some(Assignment { update: None, ..assignment })
}

fn without_comment(line: &str) -> &str {
    let end = ["//", "/*"].iter().filter_map(|mark| line.find(mark)).min();
    line.get(..end.unwrap_or(line.len())).unwrap_or(line)
}

/// Parts of a line that may be statements: without the heads of `if`, `for` and `while`.
fn statements(code: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let ends = move |letter: char| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && [';', '{', '}'].contains(&letter)
    };
    code.split(ends).map(without_heads)
}

fn without_heads(part: &str) -> &str {
    let mut part = part.trim();
    while let Some(head) =
        ["if", "while", "for", "else", "IF", "do", "DO"].iter().find(|head| starts_with_word(part, head))
    {
        let rest = part.get(head.len()..).unwrap_or_default().trim_start();
        part = if rest.starts_with('(') { after_parentheses(rest).trim_start() } else { rest };
    }
    part
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn after_parentheses(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return text.get(at + 1..).unwrap_or_default(),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    ""
}

fn of_statement(part: &str) -> Option<Assignment> {
    for mark in ["++", "--"] {
        let target = part.strip_prefix(mark).or_else(|| part.strip_suffix(mark));
        if let Some(target) = target {
            return of_target(target, Some(if mark == "++" { "+" } else { "-" }));
        }
    }
    if let Some((at, operator)) =
        COMPOUND.iter().filter_map(|(mark, operator)| Some((part.find(mark)?, operator))).min_by_key(|(at, _)| *at)
    {
        return of_target(part.get(..at)?, Some(operator));
    }
    let at = plain_equals(part)?;
    let (target, value) = (part.get(..at)?, part.get(at + 1..)?);
    let assignment = of_target(target, None)?;
    let update = match syntax::update(&assignment.target, value) {
        Use::Update(operator) | Use::Extremum(operator) => Some(operator),
        Use::Other => None,
    };
    Some(Assignment { update, value: value.trim().to_owned(), ..assignment })
}

/// Position of a `=` that is not part of another operator.
fn plain_equals(part: &str) -> Option<usize> {
    let bytes = part.as_bytes();
    let is_plain = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !before.is_some_and(|c| b"=<>!/".contains(c)) && bytes.get(at + 1) != Some(&b'=')
    };
    part.match_indices('=').map(|(at, _)| at).find(is_plain)
}

fn of_target(target: &str, update: Option<&'static str>) -> Option<Assignment> {
    let target = target.trim();
    let variable = identifiers(target).next()?.to_owned();
    // `long x`: a declaration, whose variable no other thread can access.
    let declares = target.strip_prefix(variable.as_str()).is_some_and(|rest| {
        rest.trim_start_matches(['*', '&', ' ', '\t']).starts_with(|c: char| c.is_alphabetic() || c == '_')
    });
    let plain = |c: char| c.is_alphanumeric() || "_[]().->*&+, %:\t".contains(c);
    (!declares && target.chars().all(plain)).then(|| Assignment {
        target: target.to_owned(),
        variable,
        update,
        value: String::new(),
    })
}

/// The identifiers in a text, in their order.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c)).filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    fn shown(line: &str) -> String {
        match assignment(line) {
            Some(Assignment { target, variable, update, .. }) => {
                format!("{target} {variable} {}", update.unwrap_or("="))
            }
            None => String::new(),
        }
    }

    #[test]
    fn an_assignment_has_a_target_and_perhaps_an_operator() {
        for (line, expected) in [
            ("sum += i; // x = 2", "sum sum +"),
            ("count++;", "count count +"),
            ("--left;", "left left -"),
            ("a[i] = a[i - 1] + 1;", "a[i] a ="),
            ("x = x * 2;", "x x *"),
            ("x = y + x;", "x x +"),
            ("x = y - x;", "x x ="),
            ("if (v[i] > best) best = v[i];", "best best ="),
            ("best = std::max(best, v[i]);", "best best max"),
            ("least = fmin(v, least);", "least least min"),
            ("total = total + a(i)", "total total +"),
            ("p->n |= 4;", "p->n p |"),
            ("*out = 3;", "*out out ="),
            ("for (int i = 0; i < n; i++) hist[key[i]]++;", "hist[key[i]] hist +"),
            ("hist[key[i]]++;", "hist[key[i]] hist +"),
            ("for (in = 0; in < max; ++in)", "in in ="),
            ("for (k = row[j]; k <= row[j + 1]; k++) {", "k k ="),
            ("for (; p < end; p += 2)", "p p ="),
            ("for (int i = 0; i < n; i++) {", ""),
            ("do j = 1, 8", "j j ="),
            ("long x = 3;", ""),
            ("const char *text = s;", ""),
            ("if (a == b) {", ""),
            ("a <= b;", ""),
            ("work(a, b);", ""),
            ("a = 1; b = 2;", ""),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn a_line_is_read_from_its_file() {
        let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();
        let file = folder.path().join("a.c");
        std::fs::write(&file, b"one\n\n  three \xff\n").unwrap();
        let frame = |line| Frame { file: Some(file.display().to_string()), line, ..Frame::default() };
        let mut sources = Sources::default();
        assert_eq!(sources.line(&frame(1)), Some("one"));
        assert_eq!([0, 2, 4].map(|line| sources.line(&frame(line)).is_some()), [false; 3]);
        assert_eq!(sources.line(&frame(3)), Some("three \u{fffd}"));
    }
}
