//! Lines of a worksharing loop in the program's source.

use crate::sentinel::{self, is_loop, sentinel};

/// Number of lines in which the directive is searched for.
const MAX_LINES_ABOVE: usize = 60;

/// The end of a loop, as far as its lines show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Number of the lines that belong to it.
    After(usize),
    /// It has more lines.
    Later,
    /// The lines have labels, or variants of which the preprocessor chooses one.
    Unknown,
}

/// True if a line is in a worksharing loop of its function, and the loop's own threads execute it.
pub(crate) fn holds(lines: &[&str], at: usize) -> bool {
    let first = at.saturating_sub(MAX_LINES_ABOVE);
    let mut above = (first..at).rev().take_while(|line| lines.get(*line).is_some_and(|line| !ends_a_function(line)));
    let begin = above.find(|line| {
        let is_one = lines.get(*line).and_then(|line| sentinel(line)).is_some_and(begins);
        is_one && !matches!(end(lines.get(*line + 1..at).unwrap_or_default()), End::After(_))
    });
    let between = begin.and_then(|begin| lines.get(begin + 1..at));
    between.is_some_and(|between| end(between) == End::Later && !has_other_executors(between))
}

/// True if the lines have a construct whose code other threads or tasks may execute, so that a loop's `reduction` clause doesn't apply.
pub(crate) fn has_other_executors(lines: &[&str]) -> bool {
    let others = ["task", "taskloop", "parallel", "teams", "target"];
    let directives = lines.iter().filter_map(|line| sentinel(line));
    directives.flat_map(sentinel::words).any(|word| others.contains(&word.as_str()))
}

/// The end of the loop that begins with these lines.
pub(crate) fn end(lines: &[&str]) -> End {
    let (mut depth, mut loops, mut has_block) = (0_i32, 0_i32, false);
    for (number, line) in lines.iter().enumerate() {
        if let Some(directive) = sentinel(line) {
            let directive: Vec<String> = sentinel::words(directive).take(2).collect();
            if directive.concat().starts_with("enddo") {
                return End::After(number);
            }
            continue;
        }
        if is_conditional(line) {
            return End::Unknown;
        }
        let mut parentheses = 0_i32;
        for char in line.chars() {
            match char {
                '{' => (depth, has_block) = (depth + 1, true),
                '}' => depth -= 1,
                '(' => parentheses += 1,
                ')' => parentheses -= 1,
                // A statement without braces.
                ';' if !has_block && parentheses == 0 => return End::After(number + 1),
                _ => {}
            }
        }
        if has_block && depth <= 0 {
            return End::After(number + 1);
        }
        let code = line.trim_start().to_ascii_lowercase();
        // Fortran's loops may have names.
        let code = match code.split_once(':') {
            Some((name, rest)) if !name.contains(|char: char| !char.is_ascii_alphanumeric() && char != '_') => {
                rest.trim_start()
            }
            _ => &code,
        };
        if code.strip_prefix("do").is_some_and(|rest| rest.trim_start().starts_with(|at: char| at.is_ascii_digit())) {
            return End::Unknown;
        } else if code.starts_with("do ") {
            loops += 1;
        } else if code.starts_with("end do") || code.starts_with("enddo") {
            loops -= 1;
            if loops <= 0 {
                return End::After(number + 1);
            }
        }
    }
    if depth < 0 { End::Unknown } else { End::Later }
}

/// True for a line of the preprocessor that decides whether others count.
fn is_conditional(line: &str) -> bool {
    let word = line.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
    word.starts_with("if") || word.starts_with("el") || word.starts_with("endif")
}

fn begins(directive: &str) -> bool {
    is_loop(directive) && !directive.trim_start().to_ascii_lowercase().starts_with("end")
}

/// True for a line between functions: in C a brace in the first column, in Fortran the head or the end of one.
pub(crate) fn ends_a_function(line: &str) -> bool {
    let words: Vec<String> = sentinel::words(line).collect();
    let is_fortran = words.iter().any(|word| ["subroutine", "function", "program"].contains(&word.as_str()));
    line.starts_with('}') || sentinel(line).is_none() && is_fortran && !line.contains([';', '(', '"'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds_last(text: &str) -> bool {
        let lines = crate::code::lines(text);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        holds(&lines, lines.len() - 1)
    }

    #[test]
    fn a_line_whose_loop_is_not_clear_is_in_none() {
        let of = "#pragma omp for\n  for (int i = 0; i < n; i++)";
        for (above, expected) in [
            (format!("{of} {{\n    if (a[i] == '{{') f(\"{{\"); /* {{ */"), true),
            (format!("{of} {{\n    if (a[i] == '{{') f(); }}\n  while (go) {{"), false),
            (format!("{of} {{\n#pragma omp task\n    {{"), false),
            (format!("{of} {{\n#pragma omp parallel\n    {{"), false),
            (format!("#ifdef BACK\n{of} {{\n#else\n{of} {{\n#endif\n    f();\n  }}\n  for (;;) {{"), false),
            (format!("{of} // for all }}\n  {{"), true),
            ("c$omp do\n      do 10 i=1,n\n        w=w+i\n   10 continue\n      do 20 k=1,m".to_owned(), false),
            ("!$omp do\n outer: do i = 1, n\n  do j = 1, n\n   x = y\n  end do".to_owned(), true),
        ] {
            let critical = if above.contains('#') { "#pragma omp critical" } else { "!$omp critical" };
            assert_eq!(holds_last(&format!("{above}\n{critical}")), expected, "{above}");
        }
    }

    #[test]
    fn a_line_is_in_the_loop_whose_directive_is_above_it() {
        let critical = "#pragma omp critical";
        for (above, expected) in [
            ("#pragma omp parallel for\n  for (int i = 0; i < n; i++) {\n    f();", true),
            ("#pragma omp for\n  for (int i = 0; i < n; i++)", true),
            ("#pragma omp for schedule(dynamic) \\\n  nowait\n  for (;;)\n  {\n    if (x) { f(); }", true),
            ("#pragma omp for\n  for (int i = 0; i < n; i++) {\n    f();\n  }\n  g();", false),
            ("#pragma omp for\n  for (int i = 0; i < n; i++)\n    f();", false),
            ("#pragma omp parallel for\n  for (;;) {\n    f();\n  }\n}\nvoid add(long more) {", false),
            ("#pragma omp parallel\n  for (;;) {", false),
            ("", false),
        ] {
            assert_eq!(holds_last(&format!("{above}\n{critical}")), expected, "{above}");
        }
        let fortran = "!$omp parallel do\n  do i = 1, n\n    do j = 1, n\n      x = y\n    end do\n";
        assert!(holds_last(&format!("{fortran}!$omp critical")));
        assert!(!holds_last(&format!("{fortran}  end do\n!$omp end parallel do\n!$omp critical")));
        assert!(!holds_last(&format!("{fortran}  enddo\nend subroutine\nsubroutine add\n!$omp critical")));
    }
}
