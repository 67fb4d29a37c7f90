//! Declarations of a variable that are in scope at a line of the program's source.

use crate::loop_extent::ends_a_function;
use crate::sentinel::fortran;

/// Types of numbers in C, C++ and Fortran that atomic updates take.
const NUMBERS: [&str; 21] = [
    "int",
    "long",
    "short",
    "unsigned",
    "signed",
    "char",
    "float",
    "double",
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "integer",
    "real",
];
/// Words before a type.
const QUALIFIERS: [&str; 9] =
    ["static", "const", "extern", "volatile", "register", "thread_local", "constexpr", "inline", "std"];
/// Words before a name that is not declared there.
const KEYWORDS: [&str; 12] =
    ["return", "else", "goto", "case", "delete", "throw", "new", "do", "sizeof", "typedef", "using", "if"];
/// Attributes of Fortran's variables, or parts of types, that make them no plain numbers.
const SPECIAL: [&str; 6] = ["complex", "_Complex", "pointer", "dimension", "function", "parameter"];

/// A variable's declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// Of a number.
    Number,
    /// Of a number that is a member of a class, which clauses can't name.
    Member,
    /// Of anything else.
    Other,
}

/// Kind of a variable by its declarations above a line. `None` without a declaration, or if one of them has a type that isn't a number.
pub(crate) fn of(lines: &[&str], at: usize, variable: &str) -> Option<Declared> {
    let all = match lines.get(at).is_some_and(|line| fortran(line).is_some()) {
        true => in_fortran(lines.get(..at)?, variable),
        false => in_c(lines.get(..at)?, variable)?,
    };
    match (all.is_empty() || all.contains(&Declared::Other), all.contains(&Declared::Member)) {
        (true, _) => None,
        (false, true) => Some(Declared::Member),
        (false, false) => Some(Declared::Number),
    }
}

/// Those of the same procedure, otherwise all others: it may be the module's.
fn in_fortran(lines: &[&str], variable: &str) -> Vec<Declared> {
    let begin = lines.iter().rposition(|line| ends_a_function(line)).unwrap_or_default();
    let found =
        |lines: &[&str]| -> Vec<Declared> { lines.iter().filter_map(|line| fortran_one(line, variable)).collect() };
    let own = found(lines.get(begin..).unwrap_or_default());
    if own.is_empty() { found(lines) } else { own }
}

fn fortran_one(line: &str, variable: &str) -> Option<Declared> {
    let lower = line.to_ascii_lowercase();
    let variable = variable.to_ascii_lowercase();
    let (before, after) = around(&lower, &variable)?;
    let mut words = words(before);
    let first = words.next()?;
    let is_type = NUMBERS.contains(&first) || ["type", "class", "complex", "logical", "character"].contains(&first);
    let is_attribute = ["dimension", "pointer", "allocatable", "target"].contains(&first);
    let balance = before.matches('(').count() == before.matches(')').count();
    if !(is_type || is_attribute) || !balance || before.contains('=') && !before.contains("::") {
        return None;
    }
    let is_plain = NUMBERS.contains(&first) && !words.any(|word| SPECIAL.contains(&word));
    let is_plain = is_plain && !after.trim_start().starts_with('(');
    Some(if is_plain && !before.contains(" function") { Declared::Number } else { Declared::Other })
}

/// A block of C, or the file.
#[derive(Default)]
struct Scope {
    is_class: bool,
    found: Vec<Declared>,
}

/// Those of the blocks that are open at the end of the lines. `None` if more blocks end than begin.
fn in_c(lines: &[&str], variable: &str) -> Option<Vec<Declared>> {
    let mut open = vec![Scope::default()];
    let mut statement = String::new();
    let mut was_directive = false;
    for line in lines {
        let is_directive = line.trim_start().starts_with('#') || was_directive;
        was_directive = is_directive && line.ends_with('\\');
        if is_directive {
            continue;
        }
        for char in line.chars().chain(['\n']) {
            match char {
                '{' => {
                    let words: Vec<&str> = words(&statement).collect();
                    let is_class = ["struct", "class", "union"].iter().any(|word| words.contains(word));
                    let is_class = is_class && !statement.contains(['(', '=']);
                    let found = declared(&statement, variable, false);
                    open.push(Scope { is_class, found });
                }
                '}' => {
                    open.pop();
                }
                ';' => {
                    let scope = open.last_mut()?;
                    scope.found.extend(declared(&statement, variable, scope.is_class));
                }
                _ => {
                    statement.push(char);
                    continue;
                }
            }
            open.last()?;
            statement.clear();
        }
    }
    let pending = declared(&statement, variable, false);
    Some(open.into_iter().flat_map(|scope| scope.found).chain(pending).collect())
}

/// The declarations of a statement, or of a function's parameters.
fn declared(statement: &str, variable: &str, is_member: bool) -> Vec<Declared> {
    let parts = statement.split(['(', ')']).flat_map(|part| {
        // A comma separates parameters, and names of the same type.
        let first = part.split(',').next().unwrap_or_default();
        let rest = part.split(',').skip(1).filter(|one| words(one).count() > 1);
        let is_typed = words(first).count() > 1;
        is_typed.then_some(part).into_iter().chain(rest)
    });
    parts.filter_map(|part| c_one(part.trim(), variable, is_member)).collect()
}

fn c_one(part: &str, variable: &str, is_member: bool) -> Option<Declared> {
    let (before, after) = around(part, variable)?;
    let before = before.trim_end();
    let mut all = words(before);
    let first = all.find(|word| !QUALIFIERS.contains(word))?;
    let names_class = before.ends_with("::");
    let last = before.chars().next_back()?;
    let is_of_template = last == '>' && before.contains('<');
    if KEYWORDS.contains(&first) || !(is_of_name(last) || ",&*".contains(last) || names_class || is_of_template) {
        return None;
    }
    // A value is assigned to another variable of the declaration.
    if before.contains('=') && last != ',' {
        return None;
    }
    let is_plain = NUMBERS.contains(&first) && !all.any(|word| SPECIAL.contains(&word));
    let is_pointer = before.trim_end_matches('&').trim_end().ends_with('*');
    if !is_plain || is_pointer || is_of_template || after.trim_start().starts_with(['[', '(']) {
        return Some(Declared::Other);
    }
    Some(if is_member || names_class { Declared::Member } else { Declared::Number })
}

/// The text before the first place that names the variable, and that after it.
fn around<'t>(text: &'t str, variable: &str) -> Option<(&'t str, &'t str)> {
    text.match_indices(variable).find_map(|(at, _)| {
        let (before, after) = (text.get(..at)?, text.get(at + variable.len()..)?);
        (!before.ends_with(is_of_name) && !after.starts_with(is_of_name)).then_some((before, after))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !is_of_name(char)).filter(|word| !word.is_empty())
}

/// Number of times that a line names a variable.
pub(crate) fn names(line: &str, variable: &str) -> usize {
    words(line).filter(|word| *word == variable).count()
}

pub(crate) fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_last(text: &str) -> Option<Declared> {
        let lines = crate::code::lines(text);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        of(&lines, lines.len() - 1, "total")
    }

    #[test]
    fn only_declarations_in_scope_count() {
        let norm = "static double norm(int n) {\n  double total = 0;\n  return total;\n}\n";
        for (text, expected) in [
            ("long total;\nvoid f(int n) {", Some(Declared::Number)),
            ("void f(int n) { int k = 0, total = 0; for (;;) {", Some(Declared::Number)),
            ("void f(int n, double &total) {", Some(Declared::Number)),
            ("void f() { int k = total; f(n, total); return total;", None),
            ("static double complex total;\nvoid f() {", None),
            ("void f(double total) {\n  auto total = g();", None),
            ("void f() { unsigned long total = 0; Vec3 total;", None),
            ("struct Acc { static double total; template<class F> void run(int n, F f) {", Some(Declared::Member)),
            ("double Acc::total = 0;\nvoid Acc::run() {", Some(Declared::Member)),
            ("struct Acc { double total; };\nvoid f() {", None),
            ("}\nlong total;\n}\nvoid f() {", None),
        ] {
            assert_eq!(of_last(&format!("{text}\n#pragma omp critical")), expected, "{text}");
        }
        assert_eq!(of_last(&format!("{norm}static Vec3 sum() {{\n  Vec3 total;\n#pragma omp critical")), None);
        assert_eq!(of_last(&format!("{norm}static Vec3 sum() {{\n#pragma omp critical")), None);
        for (text, expected) in [
            ("real(8) :: total", Some(Declared::Number)),
            ("real*8 w, total", Some(Declared::Number)),
            ("REAL(8), SAVE :: w(9), TOTAL", Some(Declared::Number)),
            ("real(8), pointer :: total", None),
            ("complex(8) :: total", None),
            ("type(vec) :: total", None),
            ("real(8) :: total(9)", None),
            ("real(8) :: w(total)", None),
            ("real(8) :: total\nend subroutine\nsubroutine other\ntype(vec) :: total", None),
        ] {
            assert_eq!(of_last(&format!("{text}\n!$omp critical")), expected, "{text}");
        }
    }
}
