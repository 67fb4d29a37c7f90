//! Source text without comments and without the content of literals, each directive in one line: braces and words in those mean nothing.

use std::iter::Peekable;
use std::str::Chars;

use crate::sentinel::{fortran, sentinel};

/// The lines of a source text, as many as it has. Lines that continue a directive are empty.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let is_fortran = text.lines().find_map(|line| sentinel(line).map(|_| fortran(line).is_some())).unwrap_or_default();
    let mut lines: Vec<String> = if is_fortran {
        text.lines().map(of_fortran).collect()
    } else {
        let bare = of_c(text);
        bare.lines().map(str::to_owned).collect()
    };
    let mut next = 0;
    while next < lines.len() {
        let (mut directive, mut after) = (lines.get(next).cloned().unwrap_or_default(), next + 1);
        if sentinel(&directive).is_some() {
            while let Some(more) = lines.get(after).and_then(|line| continuation(&directive, line)) {
                let head = directive.trim_end().trim_end_matches(['\\', '&']);
                directive = format!("{head} {more}");
                after += 1;
            }
        }
        for line in lines.get_mut(next..after).unwrap_or_default() {
            *line = std::mem::take(&mut directive);
        }
        next = after;
    }
    lines
}

/// True if a line defines a macro with this name.
pub(crate) fn defines(lines: &[&str], name: &str) -> bool {
    let mut definitions = lines.iter().filter_map(|line| {
        line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.split_whitespace().next()
    });
    definitions.any(|defined| defined.split('(').next() == Some(name))
}

/// The text that a line adds to the directive before it: after a backslash, after Fortran's ampersand or, in its fixed form, by a mark in
/// column 6.
fn continuation(directive: &str, line: &str) -> Option<String> {
    let marked = fortran(line).filter(|_| !line.starts_with(' ')).and_then(|rest| {
        let more = rest.strip_prefix(|mark: char| !mark.is_whitespace() && mark != '0')?;
        fortran(directive).map(|_| more)
    });
    let is_continued = directive.trim_end().ends_with(['\\', '&']);
    let more = marked.or_else(|| is_continued.then(|| sentinel(line).unwrap_or(line)))?;
    Some(more.trim().trim_start_matches('&').to_owned())
}

fn of_fortran(line: &str) -> String {
    let start = line.len() - fortran(line).map_or(line.len(), str::len);
    // The comments of fixed form, which could look like code.
    if start == 0 && line.starts_with(['*', '!']) {
        return String::new();
    }
    let (head, rest) = line.split_at_checked(start).unwrap_or(("", line));
    let (mut bare, mut quote) = (head.to_owned(), None);
    for char in rest.chars() {
        match (quote, char) {
            (None, '!') => break,
            (None, '"' | '\'') => (quote, bare) = (Some(char), bare + "\""),
            (Some(end), _) if char == end => (quote, bare) = (None, bare + "\""),
            (Some(_), _) => bare.push(' '),
            (None, _) => bare.push(char),
        }
    }
    bare
}

fn of_c(text: &str) -> String {
    let (mut bare, mut rest) = (String::with_capacity(text.len()), text.chars().peekable());
    while let Some(char) = rest.next() {
        let next = rest.peek().copied();
        match char {
            '/' if next == Some('/') => skip(&mut rest, &mut bare, |_, char| char == '\n'),
            '/' if next == Some('*') => {
                rest.next();
                bare.push(' ');
                skip_to(&mut rest, &mut bare, "*/");
            }
            '"' if is_raw(&bare) => {
                let delimiter: String = rest.by_ref().take_while(|char| *char != '(').collect();
                skip_to(&mut rest, &mut bare, &format!("){delimiter}\""));
                bare.push_str("\"\"");
            }
            '"' => {
                bare.push('"');
                skip(&mut rest, &mut bare, |escaped, char| !escaped && (char == '"' || char == '\n'));
            }
            '\'' if !is_in_number(&bare) => {
                bare.push('"');
                skip(&mut rest, &mut bare, |escaped, char| !escaped && (char == '\'' || char == '\n'));
            }
            _ => bare.push(char),
        }
    }
    bare
}

/// Skips to the end of a literal or comment, and keeps the ends of lines. A backslash escapes the next character, also a line's end.
fn skip(rest: &mut Peekable<Chars>, bare: &mut String, is_end: impl Fn(bool, char) -> bool) {
    let mut is_escaped = false;
    for char in rest.by_ref() {
        if char == '\n' {
            bare.push('\n');
        }
        if is_end(is_escaped, char) && !(is_escaped && char == '\n') {
            if char != '\n' {
                bare.push('"');
            }
            return;
        }
        is_escaped = char == '\\' && !is_escaped;
    }
}

fn skip_to(rest: &mut Peekable<Chars>, bare: &mut String, end: &str) {
    let mut last = String::new();
    for char in rest.by_ref() {
        if char == '\n' {
            bare.push('\n');
        }
        last.push(char);
        if last.ends_with(end) {
            return;
        }
    }
}

/// The name or number at the end of a text.
fn last_word(bare: &str) -> &str {
    let start = bare.rfind(|char: char| !char.is_ascii_alphanumeric() && !"_'".contains(char));
    bare.get(start.map_or(0, |at| at + 1)..).unwrap_or_default()
}

/// True after the prefix of a raw string.
fn is_raw(bare: &str) -> bool {
    matches!(last_word(bare), "R" | "LR" | "uR" | "UR" | "u8R")
}

/// True in a number, whose digits an apostrophe may separate.
fn is_in_number(bare: &str) -> bool {
    last_word(bare).starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_have_no_braces_and_no_words() {
        for (text, expected) in [
            ("if (c == '{') { // }", "if (c == \"\") { "),
            ("a = \"{\\\"}//\"; /* { \n } */ b", "a = \"\";  \n b"),
            ("n = 1'000'000; c = L'\\'';", "n = 1'000'000; c = L\"\";"),
            ("a = R\"x({\n)\" )x\"; }", "a = R\n\"\"; }"),
            ("// one \\\n two {\nthree", "\n\nthree"),
            ("#error don't {\n}", "#error don\"\n}"),
        ] {
            assert_eq!(lines(text), expected.lines().collect::<Vec<_>>(), "{text}");
        }
        let directives = "#pragma omp parallel // for all\n#pragma omp parallel /* for */ if(n)";
        assert_eq!(lines(directives), ["#pragma omp parallel ", "#pragma omp parallel   if(n)"]);
        let fortran = "!$omp parallel ! do everything\nprint *, 'do ! it', a ! why\n! do i = 1, n";
        assert_eq!(lines(fortran), ["!$omp parallel ", "print *, \"       \", a ", ""]);
    }

    #[test]
    fn a_directive_has_all_of_its_lines() {
        for (text, expected) in [
            ("#pragma omp for \\\n  nowait\nf();", "#pragma omp for  nowait\n\nf();"),
            ("!$omp do & ! all\n!$omp& nowait\nx", "!$omp do  nowait\n\nx"),
            ("c$omp do private(k)\nc$omp+ nowait\nc$omp end do", "c$omp do private(k) nowait\n\nc$omp end do"),
            ("!$OMP DO\n!$OMP BARRIER", "!$OMP DO\n!$OMP BARRIER"),
        ] {
            assert_eq!(lines(text), expected.lines().collect::<Vec<_>>(), "{text}");
        }
    }
}
