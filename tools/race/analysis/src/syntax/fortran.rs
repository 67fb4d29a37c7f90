//! Parser of free-form Fortran procedures.

use std::rc::Rc;

use super::outside::Outside;
use super::statements::is_alone;
use super::tokens::{self, Kind, Token};
use super::{Function, Is, Language, Statement};

/// A statement's tokens, or a directive's.
#[derive(Debug)]
struct Line {
    first: u32,
    last: u32,
    is_directive: bool,
    tokens: Vec<Token>,
}

/// A program unit or procedure: its own lines, and those of its internal procedures.
struct Unit {
    begin: usize,
    /// The line that ends its own part: `contains` or `end`.
    own_end: Option<usize>,
    is_procedure: bool,
}

/// A file of free-form Fortran.
#[derive(Debug)]
pub(super) struct File {
    lines: Vec<Line>,
    is_conditional: bool,
}

impl File {
    pub(super) fn new(text: &str) -> Self {
        Self { lines: lines(text), is_conditional: text.lines().any(|line| line.starts_with("#if")) }
    }

    /// Lines of the innermost procedure around a line.
    pub(super) fn extent(&self, line: u32) -> Option<Extent> {
        extent(&self.lines, line)
    }

    /// The procedure in these lines.
    pub(super) fn function(&self, extent: &Extent) -> Option<Function> {
        let function = function(&self.lines, extent)?;
        Some(Function { is_conditional: self.is_conditional, ..function })
    }
}

/// Lines of a procedure, as indices into those of its file.
pub(super) struct Extent {
    pub(super) begin: usize,
    /// The line that ends its own part: `contains` or `end`.
    own_end: usize,
    end: usize,
    /// Declarations of its file's modules.
    module_lines: Vec<usize>,
}

fn extent(lines: &[Line], line: u32) -> Option<Extent> {
    let mut open: Vec<Unit> = Vec::new();
    let mut found: Option<(usize, usize, usize)> = None;
    let mut module_lines = Vec::new();
    for (at, now) in lines.iter().enumerate().filter(|(_, now)| !now.is_directive) {
        let first = word(&now.tokens, 0);
        if let Some(is_procedure) = begins_unit(&now.tokens) {
            open.push(Unit { begin: at, own_end: None, is_procedure });
        } else if first == "contains" {
            open.last_mut()?.own_end.get_or_insert(at);
        } else if ["end", "endprogram", "endsubroutine", "endfunction", "endmodule", "endsubmodule"].contains(&first) {
            let unit = open.pop()?;
            let own_end = unit.own_end.unwrap_or(at);
            let spans = lines.get(unit.begin)?.first <= line && lines.get(own_end)?.first >= line;
            if unit.is_procedure && spans && found.is_none() {
                found = Some((unit.begin, own_end, at));
            }
        } else if open.last().is_some_and(|unit| !unit.is_procedure && unit.own_end.is_none()) {
            module_lines.push(at);
        }
    }
    let (begin, own_end, end) = found?;
    Some(Extent { begin, own_end, end, module_lines })
}

fn function(lines: &[Line], extent: &Extent) -> Option<Function> {
    let Extent { begin, own_end, end, ref module_lines } = *extent;
    let words = |from: usize, to: usize| {
        let tokens = lines.get(from..to).unwrap_or_default().iter().flat_map(|line| &line.tokens);
        tokens.filter(|token| token.kind == Kind::Word).map(|token| token.text.clone()).collect::<Vec<_>>()
    };
    let head = lines.get(begin)?;
    let parameters = head.tokens.iter().skip_while(|token| token.text != "(").cloned().collect();
    let mut parser = Parser { lines: lines.get(begin + 1..own_end)?, at: 0 };
    let body = parser.row(&[])?;
    let all_is_parsed = parser.at == parser.lines.len();
    let mut elsewhere = words(0, begin);
    elsewhere.extend(words(end + 1, lines.len()));
    // A module's own declarations are not uses of its variables.
    module_lines.iter().flat_map(|at| words(*at, *at + 1)).for_each(|word| {
        elsewhere.iter().position(|other| *other == word).map(|at| elsewhere.swap_remove(at));
    });
    let mut outside = Outside::default();
    elsewhere.iter().for_each(|word| outside.add_word(word, 0));
    module_lines.iter().filter_map(|at| lines.get(*at)).for_each(|line| outside.add_statement(line.tokens.clone()));
    all_is_parsed.then(|| Function {
        parameters,
        body,
        hidden: Rc::new(words(own_end, end).into_iter().collect()),
        outside: Rc::new(outside),
        own: 0..0,
        is_conditional: false,
        language: Language::Fortran,
    })
}

/// True for the first line of a procedure or the main program, false for that of a module; `None` for others.
fn begins_unit(tokens: &[Token]) -> Option<bool> {
    match word(tokens, 0) {
        "program" | "subroutine" => return Some(true),
        "module" if word(tokens, 1) != "procedure" => return Some(false),
        "submodule" => return Some(false),
        first if first.starts_with("end") => return None,
        _ => {}
    }
    let names = tokens.iter().take_while(|token| token.text != "=" && token.text != "::");
    let mut before_name = names.take_while(|token| token.kind != Kind::Literal).enumerate();
    let at = before_name.find(|(_, token)| token.text == "function" || token.text == "subroutine")?.0;
    let is_prefix = tokens.get(at + 1).is_some_and(|name| name.kind == Kind::Word);
    (is_prefix && tokens.iter().take(at).all(|token| token.text != "call" && token.text != "if")).then_some(true)
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| &token.text)
}

/// Statements and directives with their continuations.
fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut continues: Option<bool> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim().to_ascii_lowercase();
        let directive = line.strip_prefix("!$omp").map(str::trim);
        let is_directive = directive.is_some();
        // `!$ x = ...` is compiled with OpenMP.
        let text = directive.or_else(|| line.strip_prefix("!$ ")).unwrap_or(&line);
        let text = without_comment(text);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let (text, goes_on) = text.strip_suffix('&').map_or((text, false), |text| (text, true));
        let text = if continues.is_some() { text.strip_prefix('&').unwrap_or(text) } else { text };
        for (part, statement) in text.split(';').enumerate().filter(|(_, statement)| !statement.trim().is_empty()) {
            let joins = part == 0 && continues == Some(is_directive);
            let Some(last) = lines.last_mut().filter(|_| joins) else {
                let mut new = Line { first: number, last: number, is_directive, tokens: Vec::new() };
                tokens::of_line(&with_signs(statement), number, &mut new.tokens);
                lines.push(new);
                continue;
            };
            tokens::of_line(&with_signs(statement), number, &mut last.tokens);
            last.last = number;
        }
        continues = goes_on.then_some(is_directive);
    }
    lines.iter_mut().for_each(|line| normalise(&mut line.tokens));
    lines
}

/// The line up to a comment, with its strings emptied.
fn without_comment(line: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (None, '!') => break,
            (None, '\'' | '"') => {
                quote = Some(letter);
                out.push_str("''");
            }
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, _) => out.push(letter),
        }
    }
    out
}

/// Operators as in C.
fn with_signs(text: &str) -> String {
    let mut text = text.replace('%', "->");
    for (word, sign) in [
        (".gt.", ">"),
        (".lt.", "<"),
        (".ge.", ">="),
        (".le.", "<="),
        (".eq.", "=="),
        (".and.", "&&"),
        (".or.", "||"),
        (".not.", "!"),
    ] {
        text = text.replace(word, sign);
    }
    text
}

/// Drops labels and names of constructs, and joins `end if` and the like into one word.
fn normalise(tokens: &mut Vec<Token>) {
    if tokens.first().is_some_and(|token| token.kind == Kind::Number) {
        tokens.remove(0);
    }
    if word(tokens, 1) == ":" && ["do", "if", "select"].contains(&word(tokens, 2)) {
        tokens.drain(..2);
    }
    let joins = match word(tokens, 0) {
        "end" => tokens.len() > 1,
        "else" => word(tokens, 1) == "if",
        _ => false,
    };
    if joins {
        let second = tokens.remove(1);
        if let Some(first) = tokens.first_mut() {
            first.text.push_str(&second.text);
        }
    }
}

struct Parser<'a> {
    lines: &'a [Line],
    at: usize,
}

impl Parser<'_> {
    fn first_word(&self) -> &str {
        self.lines.get(self.at).filter(|line| !line.is_directive).map_or("", |line| word(&line.tokens, 0))
    }

    /// Name of the construct that a directive ends at the current line.
    fn ended(&self) -> Option<&str> {
        let line = self.lines.get(self.at).filter(|line| line.is_directive)?;
        word(&line.tokens, 0).strip_prefix("end")
    }

    /// All statements up to one of these words, to the end of a directive's block, or to the end of the text.
    fn row(&mut self, ends: &[&str]) -> Option<Vec<Statement>> {
        let mut all = Vec::new();
        while self.at < self.lines.len() && !ends.contains(&self.first_word()) && self.ended().is_none() {
            all.push(self.statement()?);
        }
        Some(all)
    }

    fn block(&mut self, ends: &[&str]) -> Option<Box<Statement>> {
        let first = self.lines.get(self.at)?.first;
        let all = self.row(ends)?;
        let last = all.last().map_or(first, |statement| statement.last);
        Some(Box::new(Statement::new(Is::Block(all), first, last)))
    }

    fn statement(&mut self) -> Option<Statement> {
        let line = self.lines.get(self.at)?;
        self.at += 1;
        let is = if line.is_directive { self.construct(&line.tokens) } else { self.any(&line.tokens) }?;
        let last = self.lines.get(self.at - 1)?.last;
        Some(Statement::new(is, line.first, last))
    }

    fn construct(&mut self, words: &[Token]) -> Option<Is> {
        let first = word(words, 0).to_owned();
        if is_alone(words) || first == "section" {
            return Some(Is::Construct(words.to_vec(), None));
        }
        let names = words.iter().take_while(|token| token.text != "(").map(|token| token.text.as_str());
        let names: Vec<&str> = names.collect();
        let one = names.iter().any(|name| ["do", "simd", "taskloop", "distribute", "atomic", "loop"].contains(name));
        let body = if one { Box::new(self.statement()?) } else { self.block(&[])? };
        let mut words = words.to_vec();
        match self.ended() {
            Some(ended) if ended == first => {
                // The clause may be at the construct's end.
                let ending = self.lines.get(self.at).map(|line| line.tokens.as_slice()).unwrap_or_default();
                words.extend(ending.iter().filter(|token| token.text == "nowait").cloned());
                self.at += 1;
            }
            _ if one => {}
            _ => return None,
        }
        Some(Is::Construct(words, Some(body)))
    }

    fn any(&mut self, tokens: &[Token]) -> Option<Is> {
        Some(match word(tokens, 0) {
            "do" if word(tokens, 1) != "=" => {
                if word(tokens, 1) == "concurrent" || tokens.get(1).is_some_and(|token| token.kind == Kind::Number) {
                    return None;
                }
                let waits = word(tokens, 1) == "while";
                let head = tokens.get(if waits { 2 } else { 1 }..)?.to_vec();
                let body = self.block(&["enddo"])?;
                (self.first_word() == "enddo").then(|| self.at += 1)?;
                let (init, condition) = if waits { (Vec::new(), head) } else { (head, Vec::new()) };
                Is::Loop { init, condition, step: Vec::new(), body, tests_first: true }
            }
            "if" | "elseif" if word(tokens, 1) == "(" => {
                let close = closing(tokens, 1)?;
                let head = tokens.get(2..close)?.to_vec();
                let rest = tokens.get(close + 1..)?;
                if word(rest, 0) != "then" {
                    let line = tokens.first()?.line;
                    let then = Box::new(Statement::new(self.any(rest)?, line, rest.last()?.line));
                    return Some(Is::If { head, then, otherwise: None });
                }
                let then = self.block(&["else", "elseif", "endif"])?;
                let otherwise = match self.first_word() {
                    "elseif" => return Some(Is::If { head, then, otherwise: Some(Box::new(self.statement()?)) }),
                    "else" => {
                        self.at += 1;
                        Some(self.block(&["endif"])?)
                    }
                    _ => None,
                };
                (self.first_word() == "endif").then(|| self.at += 1)?;
                Is::If { head, then, otherwise }
            }
            "select" => {
                let body = self.block(&["endselect"])?;
                (self.first_word() == "endselect").then(|| self.at += 1)?;
                Is::Switch(tokens.get(1..)?.to_vec(), body)
            }
            "exit" if tokens.len() == 1 => Is::Break,
            "cycle" if tokens.len() == 1 => Is::Continue,
            "return" | "stop" => Is::Return(tokens.to_vec()),
            "exit" | "cycle" | "goto" | "go" | "where" | "forall" | "associate" | "block" | "assign" => return None,
            _ => Is::Simple(tokens.to_vec()),
        })
    }
}

/// Position of the matching closing parenthesis.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(at),
            ")" => depth -= 1,
            _ => {}
        }
    }
    None
}
