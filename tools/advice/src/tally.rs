//! Variables that a `critical` construct in the program's source only adds to.

use crate::sentinel::{self, sentinel};

/// Number of lines of a loop's body in which a `critical` construct is searched for.
const MAX_BODY_LINES: usize = 60;
/// Maximum number of lines between the directive and the line that debug information gives for its call.
const MAX_LINES_ABOVE: usize = 2;

/// The variable that the `critical` construct at a line of the program's source only adds to.
pub fn at(file: &str, line: u32) -> Option<String> {
    of_line(&sentinel::source(file)?, line)
}

fn of_line(text: &str, line: u32) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let last = usize::try_from(line).ok()?.checked_sub(1).filter(|last| *last < lines.len())?;
    let first = last.saturating_sub(MAX_LINES_ABOVE);
    let at = (first..=last).rev().find(|at| lines.get(*at).is_some_and(is_critical))?;
    added_to(lines.get(at + 1)?).map(str::to_owned)
}

/// The variable that a `critical` construct only adds to, if it is the only such construct in these lines, and the variable is not read
/// anywhere else in the loop.
pub(crate) fn of_loop(body: &[&str]) -> Option<String> {
    let body = body.get(..body.len().min(MAX_BODY_LINES)).unwrap_or_default();
    let end = body.iter().position(|line| sentinel(line).is_some_and(|rest| rest.contains("parallel")));
    let body = body.get(..end.unwrap_or(body.len())).unwrap_or_default();
    let at = body.iter().position(is_critical)?;
    if body.iter().filter(|line| is_critical(line)).count() != 1 {
        return None;
    }
    let variable = added_to(body.get(at + 1)?)?;
    let before = body.get(..at)?.iter().map(|line| names(line, variable)).sum::<usize>();
    (before == 0).then(|| variable.to_owned())
}

fn is_critical(line: &&str) -> bool {
    sentinel(line).is_some_and(|rest| rest.trim_start().starts_with("critical"))
}

/// The variable in a line with nothing but `variable += value;`, where the value does not depend on the variable.
fn added_to(line: &str) -> Option<&str> {
    let statement = line.trim();
    let statement = statement.strip_prefix('{').and_then(|one| one.strip_suffix('}')).unwrap_or(statement).trim();
    let (variable, added) = statement.strip_suffix(';')?.split_once("+=")?;
    let variable = variable.trim();
    let is_plain = !variable.is_empty() && variable.chars().all(is_of_name) && !added.contains([';', '{']);
    (is_plain && names(statement, variable) == 1).then_some(variable)
}

/// Number of times that a line names a variable.
fn names(line: &str, variable: &str) -> usize {
    line.split(|char: char| !is_of_name(char)).filter(|word| *word == variable).count()
}

fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Directive;

    #[test]
    fn a_tally_is_a_critical_construct_that_only_adds() {
        let tally = |statement: &str, more: &str| {
            let text = format!(
                "#pragma omp parallel for\nfor (;;) {{\n{more}\n#pragma omp critical\n{statement}\n}}\nprint(total);\n"
            );
            Directive::parse(&text, 2).unwrap().tally
        };
        assert_eq!(tally("  total += it;", "it = solve();").as_deref(), Some("total"));
        assert_eq!(tally("{ total += it * 2; }", "").as_deref(), Some("total"));
        assert_eq!(tally("total += it;", "if (total > 9) continue;"), None);
        assert_eq!(tally("total += total;", ""), None);
        assert_eq!(tally("a[i] += it;", ""), None);
        assert_eq!(tally("push(it);", ""), None);
        assert_eq!(tally("total += it;", "#pragma omp critical\nbest = it;"), None);
    }

    #[test]
    fn the_critical_construct_at_a_line_may_be_in_any_function() {
        let text = "struct Query {\n  ~Query() {\n#pragma omp critical // counts\n    all += own;\n  }\n};\n";
        for (line, variable) in [(2, None), (3, Some("all")), (4, Some("all")), (6, None), (99, None)] {
            assert_eq!(of_line(text, line).as_deref(), variable, "{line}");
        }
        assert_eq!(of_line("#pragma omp critical\n{\n  all += own;\n  print(all);\n}\n", 1), None);
    }
}
