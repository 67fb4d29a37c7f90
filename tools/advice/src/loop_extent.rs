//! Lines of a worksharing loop in the program's source.

use crate::sentinel::{self, is_loop, sentinel};

/// Number of lines in which the directive is searched for.
const MAX_LINES_ABOVE: usize = 60;

/// True if a line is in a worksharing loop of its function.
pub(crate) fn holds(lines: &[&str], at: usize) -> bool {
    let first = at.saturating_sub(MAX_LINES_ABOVE);
    let mut above = (first..at).rev().take_while(|line| lines.get(*line).is_some_and(|line| !ends_a_function(line)));
    above.any(|line| {
        let Some((_, after)) = sentinel::whole(lines, line).filter(|(directive, _)| begins(directive)) else {
            return false;
        };
        lines.get(after..at).is_some_and(|between| end(between).is_none())
    })
}

/// Number of the lines that belong to the loop that begins with them; `None` if it ends after them.
pub(crate) fn end(lines: &[&str]) -> Option<usize> {
    let (mut depth, mut loops, mut has_block) = (0_i32, 0_i32, false);
    for (number, line) in lines.iter().enumerate() {
        if let Some(directive) = sentinel(line) {
            if directive.trim_start().to_ascii_lowercase().starts_with("end do") {
                return Some(number);
            }
            continue;
        }
        let code = line.split("//").next().unwrap_or_default();
        let mut parentheses = 0_i32;
        for char in code.chars() {
            match char {
                '{' => (depth, has_block) = (depth + 1, true),
                '}' => depth -= 1,
                '(' => parentheses += 1,
                ')' => parentheses -= 1,
                // A statement without braces.
                ';' if !has_block && parentheses == 0 => return Some(number + 1),
                _ => {}
            }
        }
        if has_block && depth <= 0 {
            return Some(number + 1);
        }
        let word = code.trim_start().to_ascii_lowercase();
        if word.starts_with("do ") {
            loops += 1;
        } else if word.starts_with("end do") || word.starts_with("enddo") {
            loops -= 1;
            if loops <= 0 {
                return Some(number + 1);
            }
        }
    }
    None
}

fn begins(directive: &str) -> bool {
    is_loop(directive) && !directive.trim_start().to_ascii_lowercase().starts_with("end")
}

/// True for a line between functions: in C a brace in the first column, in Fortran the head or the end of one.
fn ends_a_function(line: &str) -> bool {
    let words: Vec<String> = sentinel::words(line).collect();
    let is_fortran = words.iter().any(|word| ["subroutine", "function", "program"].contains(&word.as_str()));
    line.starts_with('}') || sentinel(line).is_none() && is_fortran && !line.contains([';', '(', '"'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds_last(text: &str) -> bool {
        let lines: Vec<&str> = text.lines().collect();
        holds(&lines, lines.len() - 1)
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
