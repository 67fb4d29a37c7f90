//! OpenMP directives in source text: C, C++ and Fortran.

use super::SourcePosition;
use crate::source::Sources;

/// Maximum number of lines that are searched above a line for its directive.
const MAX_ABOVE: u32 = 16;
/// Maximum number of lines between the start of a construct and its last statement.
const MAX_BODY: u32 = 100;

/// Words of directive names; a combined construct has several.
const NAMES: [&str; 26] = [
    "barrier",
    "critical",
    "distribute",
    "do",
    "end",
    "for",
    "loop",
    "masked",
    "master",
    "ordered",
    "parallel",
    "scope",
    "section",
    "sections",
    "simd",
    "single",
    "target",
    "task",
    "taskgroup",
    "taskloop",
    "taskwait",
    "teams",
    "threadprivate",
    "atomic",
    "workshare",
    "cancel",
];
/// Prefixes of a directive's line.
const SENTINELS: [&str; 5] = ["#pragma omp ", "# pragma omp ", "!$omp ", "c$omp ", "*$omp "];

/// A directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    position: SourcePosition,
    names: Vec<&'static str>,
    is_nowait: bool,
}

/// Content of a source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// A directive, or a statement directly below one.
    Directive(Directive),
    /// Something else.
    Other(Shape),
    /// The source can't be read.
    Unreadable,
}

/// Shape of a line that is not a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A name in capital letters, with or without arguments: a macro, which may be a directive.
    Macro,
    /// A call alone, which may be a macro.
    Call,
    /// Anything else.
    Statement,
}

impl Shape {
    fn of(text: &str) -> Self {
        let text = text.trim().trim_end_matches(';');
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let (name, rest) = text.split_at(text.find(|letter| !is_name(letter)).unwrap_or(text.len()));
        let is_call = rest.is_empty() || rest.starts_with('(') && rest.ends_with(')');
        if name.is_empty() || !is_call {
            Self::Statement
        } else if name.chars().any(|letter| letter.is_ascii_lowercase()) {
            Self::Call
        } else {
            Self::Macro
        }
    }
}

impl Written {
    pub(super) fn directive(&self) -> Option<Directive> {
        if let Self::Directive(directive) = self { Some(directive.clone()) } else { None }
    }

    pub(super) fn is_readable(&self) -> bool {
        *self != Self::Unreadable
    }

    pub(super) fn is_macro(&self) -> bool {
        *self == Self::Other(Shape::Macro)
    }

    /// True for the beginning of a region that is not a loop.
    pub(super) fn is_region(&self) -> bool {
        self.directive().is_some_and(|directive| directive.is_combined() && !directive.is_loop())
    }
}

impl Directive {
    /// Place of the directive.
    pub(super) fn position(&self) -> &SourcePosition {
        &self.position
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// True for a loop whose iterations are divided among threads.
    pub(super) fn is_loop(&self) -> bool {
        ["for", "do", "loop", "distribute"].into_iter().any(|name| self.has(name)) && !self.has("taskloop")
    }

    /// True for the directive at the beginning of such a loop: Fortran has one at its end as well.
    pub(super) fn begins_loop(&self) -> bool {
        self.is_loop() && !self.has("end")
    }

    /// True for a construct that begins a region as well.
    pub(super) fn is_combined(&self) -> bool {
        ["parallel", "teams", "target"].into_iter().any(|name| self.has(name))
    }

    pub(super) fn is_single(&self) -> bool {
        self.has("single")
    }

    pub(super) fn is_barrier(&self) -> bool {
        self.has("barrier")
    }

    /// True if the construct does not end with a barrier.
    pub(super) fn is_nowait(&self) -> bool {
        self.is_nowait || self.has("distribute")
    }

    /// True for other constructs with an implicit barrier.
    pub(super) fn is_construct_with_barrier(&self) -> bool {
        ["sections", "workshare", "scope"].into_iter().any(|name| self.has(name))
    }
}

/// The directives in source files.
#[derive(Debug, Default)]
pub(super) struct Directives {
    sources: Sources,
    is_one_unreadable: bool,
}

impl Directives {
    /// True if all lines so far could be read.
    pub(super) fn are_readable(&self) -> bool {
        !self.is_one_unreadable
    }

    /// The directive at a line.
    pub(super) fn at(&mut self, place: &SourcePosition) -> Written {
        let Some(text) = self.sources.at(&place.file, place.line) else {
            // Not so for a line that the file doesn't have.
            self.is_one_unreadable |= self.sources.lines(&place.file).is_none();
            return Written::Unreadable;
        };
        let Some((start, _)) = sentinel(text) else { return Written::Other(Shape::of(text)) };
        let column = u32::try_from(start + 1).unwrap_or(0);
        let (blank, directive) = text.split_at_checked(start).unwrap_or(("", text));
        let is_fortran = directive.starts_with(['!', 'c', 'C', '*']);
        let mut whole = format!("{blank}{}", without_comments(directive, is_fortran)).trim_end().to_owned();
        for line in (place.line + 1..).take(usize::try_from(MAX_ABOVE).unwrap_or(0)) {
            let next = self.sources.at(&place.file, line).unwrap_or_default();
            let Some(more) = continuation(&whole, next, is_fortran) else { break };
            whole = format!("{} {more}", whole.trim_end_matches(['\\', '&']));
        }
        let whole = whole.to_lowercase();
        let Some((_, rest)) = sentinel(&whole) else { return Written::Other(Shape::Statement) };
        let position = SourcePosition { column, ..place.clone() };
        Written::Directive(Directive { position, names: names(rest), is_nowait: rest.contains("nowait") })
    }

    /// The directive at a line, or above it if the line is that of the loop which belongs to the directive.
    pub(super) fn at_or_above(&mut self, place: &SourcePosition) -> Written {
        let own = self.at(place);
        if !matches!(own, Written::Other(_)) {
            return own;
        }
        // Closing parentheses without their opening ones: the line is in the middle of a loop's head.
        let mut open = 0;
        for line in (place.line.saturating_sub(MAX_ABOVE)..=place.line).rev() {
            if let directive @ Written::Directive(_) = self.at(&SourcePosition { line, ..place.clone() }) {
                return directive;
            }
            let text = self.sources.at(&place.file, line).unwrap_or_default().trim();
            open += balance(text);
            let belongs = open < 0 || is_loop_head(text) || is_blank(text);
            let before =
                line.checked_sub(1).and_then(|before| self.sources.at(&place.file, before)).unwrap_or_default();
            if !belongs && !before.trim_end().ends_with('\\') {
                break;
            }
        }
        own
    }

    /// The last loop's directive at or above a line, in the same function.
    pub(super) fn loop_around(&mut self, place: &SourcePosition) -> Option<Directive> {
        for line in (place.line.saturating_sub(MAX_BODY)..=place.line).rev() {
            let found = self.at(&SourcePosition { line, ..place.clone() }).directive();
            if found.as_ref().is_some_and(Directive::begins_loop) {
                return found;
            }
            if self.sources.at(&place.file, line).is_some_and(is_end_of_function) {
                break;
            }
        }
        None
    }

    /// The last directive above a line.
    pub(super) fn above(&mut self, place: &SourcePosition) -> Option<Directive> {
        let lines = (place.line.saturating_sub(MAX_BODY)..place.line).rev();
        lines.into_iter().find_map(|line| self.at(&SourcePosition { line, ..place.clone() }).directive())
    }

    /// True if the line itself names one of the routines.
    pub(super) fn has_routine(&mut self, place: &SourcePosition) -> bool {
        self.sources.at(&place.file, place.line).is_some_and(|text| text.contains("omp_get_"))
    }
}

/// Position at which a directive starts in a line, and the text after its sentinel.
fn sentinel(text: &str) -> Option<(usize, &str)> {
    let start = text.len() - text.trim_start().len();
    let rest = text.get(start..)?;
    let is = |sentinel: &&&str| rest.get(..sentinel.len()).is_some_and(|own| own.eq_ignore_ascii_case(sentinel));
    let found = SENTINELS.iter().find(is).and_then(|sentinel| Some((start, rest.get(sentinel.len()..)?)));
    found.or_else(|| {
        const OPERATOR: &str = "ragma(\"omp ";
        let at = text.find(OPERATOR)?;
        Some((at, text.get(at + OPERATOR.len()..)?))
    })
}

/// Text of a directive without comments.
fn without_comments(directive: &str, is_fortran: bool) -> String {
    if is_fortran {
        // The first one may be of the sentinel.
        let end = directive.char_indices().skip(1).find(|(_, letter)| *letter == '!').map(|(at, _)| at);
        return directive.get(..end.unwrap_or(directive.len())).unwrap_or_default().to_owned();
    }
    let mut parts = directive.split("//").next().unwrap_or_default().split("/*");
    let mut bare = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        bare.extend([" ", part.split_once("*/").map_or("", |(_, code)| code)]);
    }
    bare
}

/// The text with which a line continues a directive: C's lines end with a backslash, Fortran's with an ampersand or, in fixed form, begin
/// with a mark in column 6.
fn continuation(directive: &str, line: &str, is_fortran: bool) -> Option<String> {
    let line = without_comments(line, is_fortran);
    let is_fixed = |head: &str| ["!$omp", "c$omp", "*$omp"].iter().any(|known| head.eq_ignore_ascii_case(known));
    let (head, rest) = line.split_at_checked(5).unwrap_or_default();
    let marked = rest.strip_prefix(|mark: char| !mark.is_whitespace() && mark != '0').filter(|_| is_fixed(head));
    let is_continued = directive.ends_with(['\\', '&']);
    let more = marked.or_else(|| is_continued.then(|| sentinel(&line).map_or(&*line, |(_, rest)| rest)))?;
    Some(more.trim().trim_start_matches('&').to_owned())
}

/// The words of a directive's name.
fn names(rest: &str) -> Vec<&'static str> {
    let words =
        rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    let known = |word: &str| NAMES.iter().find(|name| **name == word).copied();
    let mut found = Vec::new();
    for word in words {
        // Fortran may write `enddo`, `endsingle` in one word.
        match (known(word), word.strip_prefix("end").and_then(known)) {
            (Some(name), _) => found.push(name),
            (None, Some(name)) => found.extend(["end", name]),
            (None, None) => break,
        }
    }
    found
}

/// True for a closing brace in the first column, and for the ends of Fortran's procedures.
fn is_end_of_function(text: &str) -> bool {
    let mut words = text.split_whitespace().map(str::to_lowercase);
    let is_end = words.next().is_some_and(|word| word == "end");
    let names = ["subroutine", "function", "program", "procedure"];
    text.starts_with('}') || is_end && words.next().is_some_and(|word| names.contains(&word.as_str()))
}

/// Opening parentheses of a line, less the closing ones.
fn balance(text: &str) -> i32 {
    text.chars().map(|letter| i32::from(letter == '(') - i32::from(letter == ')')).sum()
}

fn is_loop_head(text: &str) -> bool {
    let word = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next().unwrap_or_default();
    word == "for" || word.eq_ignore_ascii_case("do")
}

fn is_blank(text: &str) -> bool {
    matches!(text, "" | "{")
        || text.starts_with("//")
        || text.starts_with("/*")
        || text.starts_with('*')
        || text.starts_with('!')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of each line, and of the directive at or above it.
    fn written(text: &str, name: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let mut directives = Directives::default();
        let line = |line| SourcePosition { file: file.display().to_string(), line, column: 1 };
        let lines = 1..=u32::try_from(text.lines().count()).unwrap();
        let shown = |written: Written| match written {
            Written::Directive(it) => {
                format!("{} {}{}", it.position.line, it.names.join(" "), if it.is_nowait { " nowait" } else { "" })
            }
            Written::Other(shape) => format!("{shape:?}").to_lowercase(),
            Written::Unreadable => "unreadable".to_owned(),
        };
        lines.map(|number| shown(directives.at_or_above(&line(number)))).collect()
    }

    #[test]
    fn a_loop_belongs_to_the_directive_above() {
        let text = "#pragma omp parallel for schedule(static) \\\n  nowait\n\n// rows\nfor (int i = 0;\n     i < n;\n     i++)\n  a[i] = 0;\n  BARRIER();\n";
        let expected = [
            "1 parallel for nowait",
            "statement",
            "1 parallel for nowait",
            "1 parallel for nowait",
            "1 parallel for nowait",
        ];
        let found = written(text, "a.c");
        assert_eq!(found[0], expected[0]);
        assert_eq!(found[2..5], expected[2..]);
        assert_eq!(found[6..], ["1 parallel for nowait", "statement", "macro"]);
    }

    #[test]
    fn fortran_has_its_own_sentinels_and_ends() {
        let text = "!$OMP PARALLEL DO &\n!$OMP& COLLAPSE(2)\ndo i = 1, n\n a(i) = 0\n end do\n  !$omp end do nowait\n!$omp barrier\n!$omp endsingle\n";
        let found = written(text, "a.f90");
        assert_eq!([&found[0], &found[2], &found[3]], ["1 parallel do", "1 parallel do", "statement"]);
        assert_eq!(found[5..], ["6 end do nowait", "7 barrier", "8 end single"]);
    }

    #[test]
    fn words_of_comments_are_no_clauses() {
        let c = "#pragma omp parallel // for nowait\n;;\n#pragma omp for /* no barrier: nowait */ private(x)\n";
        assert_eq!(written(c, "a.c"), ["1 parallel", "statement", "3 for"]);
        let fortran =
            "!$omp parallel ! do nowait\nx = y\n!$omp do & ! all\n!$omp nowait\nx = y\nc$omp do\nc$omp+ nowait\n";
        let found = written(fortran, "a.f90");
        assert_eq!([&found[0], &found[2], &found[5]], ["1 parallel", "3 do nowait", "6 do nowait"]);
    }

    #[test]
    fn a_pragma_operator_is_a_directive() {
        assert_eq!(written("int x; _Pragma(\"omp for nowait\") for (;;) {}\n", "a.c"), ["1 for nowait"]);
        assert_eq!(written("x(1);\nfor (;;)\n", "a.c"), ["call", "statement"]);
    }
}
