//! Constructs inside of a parallel region, as far as the text of its body shows them.

use crate::loop_extent::{self, End};
use crate::sentinel::{sentinel, words};

/// Number of lines of a region that are read.
const MAX_LINES: usize = 200;

/// Constructs of a region's body.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// Directives of its loops, each with the number of lines up to the loop itself.
    pub(crate) loops: Vec<(String, usize)>,
    /// True if it has a construct that one thread executes.
    pub(crate) has_single: bool,
    /// True if it has tasks with dependences.
    pub(crate) has_depend: bool,
    /// True if one of its loops has no tasks in its text.
    pub(crate) has_loop_without_tasks: bool,
    has_others: bool,
    /// True if there is code beside its loops that may take the time: a call, or a branch.
    has_code_beside: bool,
}

impl Body {
    /// Reads the body whose text begins with these lines.
    pub(crate) fn of(lines: &[&str]) -> Self {
        let (mut body, mut depth, mut has_block) = (Self::default(), 0_i32, false);
        let lines = lines.get(..lines.len().min(MAX_LINES)).unwrap_or_default();
        let (mut next, mut end_of_loop) = (0, 0);
        while let Some(line) = lines.get(next) {
            next += 1;
            if let Some(directive) = sentinel(line) {
                if is_end_of_region(directive) {
                    break;
                }
                if is_worksharing_loop(directive) {
                    let below = lines.get(next..).unwrap_or_default();
                    body.has_loop_without_tasks |= !has_tasks(below);
                    end_of_loop = match loop_extent::end(below) {
                        End::After(count) => next + count,
                        End::Later | End::Unknown => usize::MAX,
                    };
                }
                body.add(directive.to_owned(), next);
                continue;
            }
            body.has_code_beside |= next > end_of_loop && may_take_time(line);
            for brace in line.chars() {
                match brace {
                    '{' => (depth, has_block) = (depth + 1, true),
                    '}' => depth -= 1,
                    _ => {}
                }
            }
            let is_statement = !has_block && line.trim_end().ends_with(';');
            if is_statement || has_block && depth <= 0 || depth < 0 {
                break;
            }
        }
        body
    }

    fn add(&mut self, directive: String, after: usize) {
        let words: Vec<String> = words(&directive).collect();
        let has = |name: &str| words.iter().any(|word| word == name);
        self.has_depend |= has("depend");
        match words.first().map(String::as_str) {
            Some("single" | "master" | "masked") => self.has_single = true,
            Some("for" | "do") if is_worksharing_loop(&directive) => self.loops.push((directive, after)),
            Some("end" | "barrier" | "critical" | "atomic" | "flush" | "simd" | "cancellation") => {}
            _ => self.has_others = true,
        }
    }

    /// The directive of the loop that shares out all of the region's work: there is nothing else that may take the time.
    pub(crate) fn only_loop(&self) -> Option<&(String, usize)> {
        let [only] = &self.loops[..] else { return None };
        (!self.has_single && !self.has_others && !self.has_code_beside).then_some(only)
    }
}

/// True for a line with a call or a branch, other than a query or the head of a loop around others.
fn may_take_time(code: &str) -> bool {
    let code = code.trim();
    let is_head = ["for", "while", "do "].iter().any(|word| code.starts_with(word)) && code.ends_with(['{', ')']);
    let queries = ["omp_get_thread_num()", "omp_get_num_threads()"];
    let rest = queries.iter().fold(code.to_owned(), |code, query| code.replace(query, ""));
    !is_head && rest.contains('(')
}

/// True for a directive of a loop that a team shares, other than a combined one.
fn is_worksharing_loop(directive: &str) -> bool {
    let mut words = words(directive);
    words.next().is_some_and(|first| first == "for" || first == "do") && words.all(|word| word != "parallel")
}

/// True if the loop that begins with these lines has tasks in its text.
pub(crate) fn has_tasks(lines: &[&str]) -> bool {
    let lines = lines.get(..lines.len().min(MAX_LINES)).unwrap_or_default();
    let end = match loop_extent::end(lines) {
        End::After(end) => end,
        End::Later | End::Unknown => lines.len(),
    };
    let body = lines.get(..end).unwrap_or_default();
    body.iter().filter_map(|line| sentinel(line)).any(|directive| words(directive).any(|word| word.starts_with("task")))
}

/// True for the directive that ends a parallel region in Fortran.
fn is_end_of_region(directive: &str) -> bool {
    let mut words = words(directive);
    words.next().is_some_and(|word| word == "end") && words.next().is_some_and(|word| word == "parallel")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_ends_with_its_block_or_its_only_statement() {
        let loops = |text: &str| Body::of(&text.lines().collect::<Vec<_>>()).loops.len();
        assert_eq!(loops("{\n if (x) { f(); }\n#pragma omp for\n}\n#pragma omp for\n"), 1);
        assert_eq!(loops(" f();\n#pragma omp for\n"), 0);
        assert_eq!(loops("}\n#pragma omp for\n"), 0);
        assert_eq!(loops(&"{\n#pragma omp for\n".repeat(999)), MAX_LINES / 2);
    }

    #[test]
    fn a_loop_is_the_only_work_unless_there_are_calls_beside_it() {
        let is_only = |before: &str, after: &str| {
            let text = format!("{{\n  {before}\n#pragma omp for\n  for (;;) {{\n    f(i);\n  }}\n  {after}\n}}\n");
            Body::of(&text.lines().collect::<Vec<_>>()).only_loop().is_some()
        };
        assert!(
            is_only("int own = omp_get_thread_num();", "") && is_only("for (int step = 0; step < n; step++) {", "}")
        );
        assert!(!is_only("", "if (omp_get_thread_num() == 0) analyse();") && !is_only("assemble(x);", ""));
    }

    #[test]
    fn a_loop_that_creates_tasks_is_told_from_one_beside_them() {
        let beside = |text: &str| Body::of(&text.lines().collect::<Vec<_>>()).has_loop_without_tasks;
        let (task, of_all) = ("#pragma omp task\n  f();\n", "#pragma omp for\n  for (;;)");
        assert!(!beside(&format!("{{\n{of_all} {{\n{task}  }}\n}}\n")));
        assert!(beside(&format!("{{\n{of_all} {{\n  g();\n  }}\n#pragma omp master\n{task}}}\n")));
        assert!(beside(&format!("{{\n{of_all}\n  g();\n{task}}}\n")));
        assert!(!beside(&format!("{{\n#pragma omp single\n{task}}}\n")));
    }
}
