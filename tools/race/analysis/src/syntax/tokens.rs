//! Tokens of C and C++, without comments, and without what conditional compilation excludes from an OpenMP program.

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// A string or a character.
    Literal,
    Sign,
    /// An OpenMP directive: the text that follows `omp`.
    Directive,
    /// Conditional compilation that can't be decided.
    Condition,
}

/// Signs of more than one character, the longest first.
const SIGNS: [&str; 24] = [
    "<<=", ">>=", "...", "->*", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "&&", "||", "==",
    "!=", "<=", ">=", "::", "<<", ">>",
];

/// Clauses that macros generate.
const CLAUSES: [&str; 6] = ["reduction", "private", "firstprivate", "lastprivate", "shared", "default"];

/// Tokens of a text, and the words in its macros.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Vec<String>) {
    let (mut tokens, mut macros) = (Vec::new(), Vec::new());
    let mut conditions = Conditions::default();
    for (line, text) in logical_lines(&without_comments(text)) {
        let Some(directive) = text.trim_start().strip_prefix('#').map(str::trim_start) else {
            if conditions.are_met() {
                of_line(&text, line, &mut tokens);
            }
            continue;
        };
        if conditions.step(directive) {
            tokens.push(Token { kind: Kind::Condition, text: directive.to_owned(), line });
        } else if let Some(rest) = directive.strip_prefix("define").filter(|_| conditions.are_met()) {
            let mut body = Vec::new();
            of_line(rest, line, &mut body);
            // A clause is not a use of the variable: it would not be shared.
            if body.get(1).is_some_and(|first| CLAUSES.contains(&first.text.as_str())) {
                continue;
            }
            macros.extend(body.into_iter().filter(|token| token.kind == Kind::Word).map(|token| token.text));
        } else if let Some(rest) = directive.strip_prefix("pragma").map(str::trim_start)
            && let Some(rest) = rest.strip_prefix("omp").filter(|_| conditions.are_met())
        {
            tokens.push(Token { kind: Kind::Directive, text: rest.trim().to_owned(), line });
        }
    }
    (tokens, macros)
}

/// Adds the tokens of a line.
pub(super) fn of_line(text: &str, line: u32, tokens: &mut Vec<Token>) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length_while = |accepts: &dyn Fn(char) -> bool| rest.find(|c| !accepts(c)).unwrap_or(rest.len());
        let (kind, length) = if first.is_whitespace() {
            rest = rest.trim_start();
            continue;
        } else if first.is_alphabetic() || first == '_' {
            (Kind::Word, length_while(&is_word))
        } else if first.is_ascii_digit() {
            (Kind::Number, length_while(&|c| is_word(c) || c == '.'))
        } else if first == '"' || first == '\'' {
            (Kind::Literal, literal(rest, first))
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (Kind::Sign, sign.map_or(first.len_utf8(), |sign| sign.len()))
        };
        let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        tokens.push(Token { kind, text: token.to_owned(), line });
        rest = behind;
    }
}

/// Length of a string or a character.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The text with blanks in place of comments.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let length = if from.starts_with("//") {
            from.find('\n').unwrap_or(from.len())
        } else if from.starts_with("/*") {
            from.find("*/").map_or(from.len(), |end| end + 2)
        } else {
            let quote = from.chars().next().filter(|c| *c != '/');
            // A digit separator of C++ does not start a character literal.
            let is_separator = quote == Some('\'') && before.ends_with(|c: char| c.is_ascii_hexdigit());
            let kept = quote.filter(|_| !is_separator).map_or(1, |quote| literal(from, quote));
            out.push_str(from.get(..kept).unwrap_or_default());
            rest = from.get(kept..).unwrap_or_default();
            continue;
        };
        let (comment, behind) = from.split_at(length);
        out.push(' ');
        out.extend(comment.chars().filter(|c| *c == '\n'));
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Lines, with those joined that a backslash continues, by the number of the first.
fn logical_lines(text: &str) -> Vec<(u32, String)> {
    let mut lines: Vec<(u32, String)> = Vec::new();
    let mut continues = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_end();
        let (part, goes_on) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match lines.last_mut().filter(|_| continues) {
            Some((_, whole)) => whole.push_str(part),
            None => lines.push((number, part.to_owned())),
        }
        continues = goes_on;
    }
    lines
}

/// Conditional compilation around a line: whether each condition is true; `None` if it is not known, and both
/// branches are kept.
#[derive(Default)]
struct Conditions(Vec<Option<bool>>);

impl Conditions {
    fn are_met(&self) -> bool {
        !self.0.contains(&Some(false))
    }

    /// Processes a preprocessor directive; true if it starts or ends a branch that may or may not be compiled.
    fn step(&mut self, directive: &str) -> bool {
        let squeezed: String = directive.split_whitespace().collect();
        match squeezed.as_str() {
            "ifdef_OPENMP" | "if_OPENMP" | "ifdefined_OPENMP" | "ifdefined(_OPENMP)" | "if1" => self.0.push(Some(true)),
            "ifndef_OPENMP" | "if!defined(_OPENMP)" | "if0" => self.0.push(Some(false)),
            text if text.starts_with("if") => {
                self.0.push(None);
                return true;
            }
            text if text.starts_with("el") => {
                let last = self.0.last_mut();
                let is_unknown = last.as_ref().is_some_and(|last| last.is_none());
                if let Some(Some(is_met)) = last {
                    *is_met = !*is_met && text.starts_with("else");
                }
                return is_unknown;
            }
            text if text.starts_with("endif") => return self.0.pop() == Some(None),
            _ => {}
        }
        false
    }
}
