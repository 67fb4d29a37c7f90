//! Variables that a `critical` construct in the program's source only adds to.

use serde::{Deserialize, Serialize};

use crate::code;
use crate::declarations::{self, Declared, is_of_name, names};
use crate::loop_extent::{self, End};
use crate::sentinel::{self, fortran, sentinel};

/// Number of lines of a loop's body in which a `critical` construct is searched for.
const MAX_BODY_LINES: usize = 60;
/// Maximum number of lines between the directive and the line that debug information gives for its call.
const MAX_LINES_ABOVE: usize = 2;

/// A variable that a `critical` construct only adds to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Its name.
    pub variable: String,
    /// True if the construct is in a worksharing loop of the same function, whose directive can have a `reduction` clause.
    pub is_in_loop: bool,
}

/// The variable that the `critical` construct at a line of the program's source only adds to.
pub fn at(file: &str, line: u32) -> Option<Tally> {
    of_line(&sentinel::source(file, None)?, line)
}

fn of_line(text: &str, line: u32) -> Option<Tally> {
    let lines = code::lines(text);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let last = usize::try_from(line).ok()?.checked_sub(1).filter(|last| *last < lines.len())?;
    let first = last.saturating_sub(MAX_LINES_ABOVE);
    let at = (first..=last).rev().find(|at| lines.get(*at).is_some_and(is_critical))?;
    let (variable, declared) = addition_at(&lines, at)?;
    let is_in_loop = declared == Declared::Number && loop_extent::holds(&lines, at);
    Some(Tally { variable: variable.to_owned(), is_in_loop })
}

/// The variable that a `critical` construct only adds to, if it is the only such construct in the loop that begins with a line, and the
/// variable is not read before in it.
pub(crate) fn of_loop(lines: &[&str], begin: usize) -> Option<String> {
    let body = lines.get(begin..)?;
    let body = body.get(..body.len().min(MAX_BODY_LINES)).unwrap_or_default();
    let end = match loop_extent::end(body) {
        End::After(end) => end,
        End::Later => body.len(),
        End::Unknown => return None,
    };
    let body = body.get(..end)?;
    let at = body.iter().position(is_critical)?;
    if body.iter().filter(|line| is_critical(line)).count() != 1 || loop_extent::has_other_executors(body.get(..at)?) {
        return None;
    }
    let (variable, declared) = addition_at(lines, begin + at)?;
    let before = body.get(..at)?.iter().map(|line| names(line, variable)).sum::<usize>();
    (before == 0 && declared == Declared::Number).then(|| variable.to_owned())
}

/// The variable that the `critical` construct at a line only adds to.
fn addition_at<'t>(lines: &[&'t str], at: usize) -> Option<(&'t str, Declared)> {
    let variable = only_addition(lines, at)?;
    Some((variable, declarations::of(lines, at, variable)?))
}

fn is_critical(line: &&str) -> bool {
    sentinel(line).is_some_and(|rest| rest.trim_start().to_ascii_lowercase().starts_with("critical"))
}

/// The variable that the statement after a directive adds to, if that is the only one of its block.
fn only_addition<'t>(lines: &[&'t str], at: usize) -> Option<&'t str> {
    let mut code = lines.get(at + 1..)?.iter().map(|line| line.trim()).filter(|it| !it.is_empty());
    let first = code.next()?;
    let (statement, is_block) = if first == "{" { (code.next()?, true) } else { (first, false) };
    let in_braces = statement.strip_prefix('{').and_then(|one| one.strip_suffix('}'));
    let statement = in_braces.unwrap_or(statement).trim();
    // In C a statement ends with a semicolon, in Fortran the construct with a directive.
    let mut has_ended = || match statement.strip_suffix(';') {
        Some(_) => !is_block || code.next() == Some("}"),
        None => {
            code.next().and_then(sentinel).is_some_and(|rest| rest.trim_start().to_ascii_lowercase().starts_with("end"))
        }
    };
    has_ended().then(|| added_to(lines, at, statement.strip_suffix(';').unwrap_or(statement))).flatten()
}

/// The variable in `variable += value`, `variable = variable + value` or `variable++`, where the value does not depend on the variable, and
/// computing it changes nothing.
fn added_to<'t>(lines: &[&str], at: usize, statement: &'t str) -> Option<&'t str> {
    let bumped = statement.strip_suffix("++").or_else(|| statement.strip_prefix("++"));
    let (variable, added) = match (bumped, statement.split_once("+=")) {
        (Some(variable), _) => (variable.trim(), ""),
        (None, Some((variable, added))) => (variable.trim(), added),
        (None, None) => {
            let (variable, sum) = statement.split_once('=')?;
            (variable.trim(), sum.trim_start().strip_prefix(variable.trim())?.trim_start().strip_prefix('+')?)
        }
    };
    let is_plain = !variable.is_empty() && variable.chars().all(is_of_name);
    let is_value = !added.contains([';', '{', '?', '<', '>', '=', '&', '|']) && names(added, variable) == 0;
    let changes = added.contains("++") || added.contains("--") || calls(lines, added);
    let mut words = statement.split(|char| !is_of_name(char)).filter(|word| !word.is_empty());
    (is_plain && is_value && !changes && !words.any(|word| may_be_macro(lines, at, word))).then_some(variable)
}

/// True for the name of a macro: one of this text, or in C any name in capital letters that is not a number's.
fn may_be_macro(lines: &[&str], at: usize, name: &str) -> bool {
    let is_capital = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|char| !char.is_ascii_lowercase());
    let is_in_c = || lines.get(at).is_some_and(|line| fortran(line).is_none());
    code::defines(lines, name) || is_capital && is_in_c() && declarations::of(lines, at, name).is_none()
}

/// Functions of the standard libraries that change nothing.
const PURE: [&str; 24] = [
    "abs", "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "dble", "exp", "fabs", "floor", "fmax", "fmin",
    "hypot", "log", "max", "min", "mod", "pow", "real", "sin", "sqrt", "tan",
];

/// True if an expression calls a function that may change something: the construct may protect that. The lines have Fortran's declarations of
/// arrays, whose elements look like calls.
fn calls(lines: &[&str], expression: &str) -> bool {
    let is_array = |name: &str| {
        let mut declarations = lines.iter().filter_map(|line| line.split_once("::")).map(|(_, names)| names);
        declarations.any(|names| {
            names.match_indices(name).any(|(at, _)| {
                let before = names.get(..at).and_then(|before| before.chars().next_back());
                let after = names.get(at + name.len()..).unwrap_or_default();
                !before.is_some_and(is_of_name) && after.trim_start().starts_with('(')
            })
        })
    };
    expression.match_indices('(').any(|(at, _)| {
        let before = expression.get(..at).unwrap_or_default().trim_end();
        let start = before.rfind(|char| !is_of_name(char)).map_or(0, |last| last + 1);
        let name = before.get(start..).unwrap_or_default();
        // An operator comes before other parentheses.
        let is_name = !name.is_empty() || before.ends_with([')', ']', '>']);
        is_name && !PURE.contains(&name.to_ascii_lowercase().as_str()) && (name.is_empty() || !is_array(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Directive;

    #[test]
    fn a_tally_is_a_critical_construct_that_only_adds() {
        let tally = |statement: &str, more: &str| {
            let text = format!(
                "static long total;\n#pragma omp parallel for\nfor (;;) {{\n{more}\n#pragma omp critical\n{statement}\n}}\nf(total);\n"
            );
            Directive::parse(&text, 3).unwrap().tally
        };
        assert_eq!(tally("  total += it;", "it = solve();").as_deref(), Some("total"));
        for same in ["{ total += it * 2; }", "{\n  total = total + it;\n}", "total++;", "++total;"] {
            assert_eq!(tally(same, "").as_deref(), Some("total"), "{same}");
        }
        for other in [
            "total = it + total;",
            "total = total > it;",
            "total += it ? 1 : total;",
            "{\n total += it;\n print(it);\n}",
        ] {
            assert_eq!(tally(other, ""), None, "{other}");
        }
        assert_eq!(tally("total += it;", "if (total > 9) continue;"), None);
        assert_eq!(tally("total += total;", ""), None);
        assert_eq!(tally("a[i] += it;", ""), None);
        assert_eq!(tally("push(it);", ""), None);
        for changing in ["insert(it)", "stack[--top]", "stack[top++]", "(*next)(it)", "it * next()", "map.at(it)"] {
            assert_eq!(tally(&format!("total += {changing};"), ""), None, "{changing}");
        }
        for pure in ["fabs(it)", "2 * (it + 1)", "(double)it", "sqrt( it )"] {
            assert!(tally(&format!("total += {pure};"), "").is_some(), "{pure}");
        }
        assert_eq!(tally("total += it;", "#pragma omp critical\nbest = it;"), None);
    }

    #[test]
    fn the_critical_construct_at_a_line_may_be_in_any_function() {
        let text =
            "long all;\nstruct Query {\n  ~Query() {\n#pragma omp critical // counts\n    all += own;\n  }\n};\n";
        for (line, variable) in [(3, None), (4, Some("all")), (5, Some("all")), (7, None), (99, None)] {
            let found = of_line(text, line);
            assert_eq!(
                found.as_ref().map(|it| (it.variable.as_str(), it.is_in_loop)),
                variable.map(|it| (it, false)),
                "{line}"
            );
        }
        let fortran = |w: &str| {
            format!(
                "  integer :: i\n  real(8) :: total{w}\n!$omp do\ndo i = 1, n\n!$omp critical\n  total = total + w(i)\n!$omp end critical\n"
            )
        };
        let found = of_line(&fortran(", w(9)"), 5);
        assert_eq!(found, Some(Tally { variable: "total".to_owned(), is_in_loop: true }));
        assert_eq!(of_line(&fortran(""), 5), None, "w may be a function");
    }

    #[test]
    fn a_macro_is_no_plain_value() {
        let added = |above: &str, value: &str| {
            of_line(&format!("{above}\nlong all;\nvoid f() {{\n#pragma omp critical\n  all += {value};\n}}\n"), 4)
                .is_some()
        };
        assert!(added("", "own * 2.0") && added("long N;", "N"));
        assert!(!added("#define NEXT draw()", "NEXT") && !added("", "NEXT") && !added("# define next draw()", "next"));
        assert!(!added("#define all sums[own()]", "own"));
    }

    #[test]
    fn a_loop_with_tasks_gets_no_clause() {
        let tally = |inner: &str| {
            let text = format!(
                "long all;\nvoid f() {{\n#pragma omp parallel for\nfor (;;) {{\n{inner}\n{{\n#pragma omp critical\n  all += own;\n}}}}}}\n"
            );
            let of_loop = Directive::parse(&text, 3).unwrap().tally.is_some();
            let critical = text.lines().position(|line| line.ends_with("critical")).unwrap() + 1;
            (of_loop, of_line(&text, u32::try_from(critical).unwrap()).map(|it| it.is_in_loop))
        };
        assert_eq!(tally(""), (true, Some(true)));
        assert_eq!(tally("#pragma omp task"), (false, Some(false)));
        assert_eq!(tally("#ifdef A\n#endif"), (false, Some(false)));
    }

    #[test]
    fn only_numbers_can_be_reduced_by_a_clause() {
        for (declared, is_tally) in [
            ("double out = 0;", true),
            ("static const unsigned other, out;", true),
            ("int main() { std::string out; double other;", false),
            ("int main() { double other, out = 0;", true),
            ("  REAL(8), SAVE :: out", true),
            ("std::string out;", false),
            ("long *out;", false),
            ("void run(const char *&out, int other)", false),
            ("void run(double &out, int other)", true),
            ("int out[3];", false),
            ("", false),
        ] {
            let text = match declared.contains(" :: ") {
                true => format!("{declared}\n!$omp critical\n  out = out + line\n!$omp end critical\n"),
                false => format!("{declared}\n#pragma omp critical\n  out += line;\n"),
            };
            assert_eq!(of_line(&text, 2).is_some(), is_tally, "{declared}");
        }
    }
}
