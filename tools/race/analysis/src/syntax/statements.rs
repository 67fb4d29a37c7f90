//! Parser of C and C++ functions.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::outside::Outside;
use super::tokens::{self, Kind, Token};
use super::{Function, Is, Language, Statement};

/// Maximum nesting of statements that is followed.
const DEEPEST: u32 = 200;

/// A file of C or C++.
#[derive(Debug)]
pub(super) struct File {
    tokens: Vec<Token>,
    /// Positions of the braces of each outermost function, in order.
    functions: Vec<(usize, usize)>,
    macros: Rc<HashSet<String>>,
    outside: Rc<Outside>,
    language: Language,
}

impl File {
    pub(super) fn new(text: &str, language: Language) -> Self {
        let (tokens, macros) = tokens::tokens(text);
        let functions = functions(&tokens).unwrap_or_default();
        let includes = |line: &str| {
            let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
            directive.and_then(|it| it.strip_prefix("include")).is_some_and(|it| it.trim_start().starts_with('"'))
        };
        let last_include = (1..).zip(text.lines()).filter(|(_, line)| includes(line)).last();
        let outside = Outside::new(&tokens, last_include.map_or(0, |(line, _)| line));
        let macros = Rc::new(macros.into_iter().collect());
        Self { tokens, functions, macros, outside: Rc::new(outside), language }
    }

    /// Positions of the braces of the outermost function around a line.
    pub(super) fn extent(&self, line: u32) -> Option<Range<usize>> {
        let line_of = |at: usize| self.tokens.get(at).map_or(0, |token| token.line);
        let count = self.functions.partition_point(|(open, _)| line_of(*open) <= line);
        let (open, close) = *self.functions.get(count.checked_sub(1)?)?;
        (line_of(close) >= line).then_some(open..close)
    }

    /// The function between these braces.
    pub(super) fn function(&self, extent: Range<usize>) -> Option<Function> {
        let (open, close) = (extent.start, extent.end);
        let body = self.tokens.get(open + 1..close)?;
        let is_conditional = body.iter().any(|token| token.kind == Kind::Condition);
        // Both branches are kept: each use of a variable is seen, but not which of them is compiled.
        let body: Vec<Token> = body.iter().filter(|token| token.kind != Kind::Condition).cloned().collect();
        let mut parser = Parser { tokens: &body, at: 0, depth: 0 };
        let all = parser.all()?;
        let is_parsed = parser.at == body.len();
        is_parsed.then(|| Function {
            parameters: parameters(self.tokens.get(..open).unwrap_or_default()).to_vec(),
            body: all,
            hidden: self.macros.clone(),
            outside: self.outside.clone(),
            own: extent,
            is_conditional,
            language: self.language,
        })
    }
}

/// Positions of the braces of each outermost function, in order. `None` if braces don't match.
fn functions(tokens: &[Token]) -> Option<Vec<(usize, usize)>> {
    let mut open = Vec::new();
    let mut functions: Vec<(usize, usize)> = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Sign) {
        match token.text.as_str() {
            "{" => open.push(at),
            "}" => {
                let begin = open.pop()?;
                if !parameters(tokens.get(..begin)?).is_empty() {
                    // Outer braces close later: a function's are the last that match.
                    while functions.pop_if(|inner| inner.0 > begin).is_some() {}
                    functions.push((begin, at));
                }
            }
            _ => {}
        }
    }
    Some(functions)
}

/// The list of parameters with its parentheses, if the tokens before a brace end with a function's head.
fn parameters(head: &[Token]) -> &[Token] {
    /// Maximum number of tokens between the list and the brace: `const noexcept -> type`.
    const LONGEST: usize = 12;
    let ends = |token: &Token| [";", "{", "}", "="].contains(&token.text.as_str());
    let behind = head.iter().rev().take(LONGEST).take_while(|token| !ends(token)).position(|token| token.text == ")");
    let Some(close) = behind.and_then(|behind| head.len().checked_sub(behind + 1)) else { return &[] };
    let mut depth = 0_usize;
    for at in (0..=close).rev() {
        match head.get(at).map(|token| token.text.as_str()) {
            Some(")") => depth += 1,
            Some("(") if depth == 1 => return head.get(at..=close).unwrap_or_default(),
            Some("(") => depth -= 1,
            _ => {}
        }
    }
    &[]
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn peek(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |token| &token.text)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |token| token.line)
    }

    fn last_line(&self) -> u32 {
        self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.line)
    }

    fn accept(&mut self, text: &str) -> bool {
        let is_it = self.peek(0) == text;
        self.at += usize::from(is_it);
        is_it
    }

    /// All statements up to the end, or to a closing brace.
    fn all(&mut self) -> Option<Vec<Statement>> {
        let mut all = Vec::new();
        while self.at < self.tokens.len() && self.peek(0) != "}" {
            all.push(self.statement()?);
        }
        Some(all)
    }

    fn statement(&mut self) -> Option<Statement> {
        self.depth += 1;
        let first = self.line();
        let is = if self.depth < DEEPEST { self.any() } else { None }?;
        self.depth -= 1;
        Some(Statement::new(is, first, self.last_line()))
    }

    fn boxed(&mut self) -> Option<Box<Statement>> {
        self.statement().map(Box::new)
    }

    fn any(&mut self) -> Option<Is> {
        let token = self.tokens.get(self.at)?;
        if token.kind == Kind::Directive {
            self.at += 1;
            return self.construct(token);
        }
        Some(match token.text.as_str() {
            "{" => {
                self.at += 1;
                let all = self.all()?;
                self.accept("}").then_some(Is::Block(all))?
            }
            "if" => {
                self.at += 1;
                _ = self.accept("constexpr");
                let head = self.parenthesised()?.to_vec();
                let then = self.boxed()?;
                let otherwise = if self.accept("else") { Some(self.boxed()?) } else { None };
                Is::If { head, then, otherwise }
            }
            "for" => {
                self.at += 1;
                let head = self.parenthesised()?;
                let mut parts = split(head, ";").into_iter().map(<[Token]>::to_vec);
                let mut next = || parts.next().unwrap_or_default();
                let (init, condition, step) = (next(), next(), next());
                Is::Loop { init, condition, step, body: self.boxed()?, tests_first: true }
            }
            "while" => {
                self.at += 1;
                let condition = self.parenthesised()?.to_vec();
                Is::Loop { init: Vec::new(), condition, step: Vec::new(), body: self.boxed()?, tests_first: true }
            }
            "do" => {
                self.at += 1;
                let body = self.boxed()?;
                let condition = if self.accept("while") { self.parenthesised()?.to_vec() } else { return None };
                self.accept(";");
                Is::Loop { init: Vec::new(), condition, step: Vec::new(), body, tests_first: false }
            }
            "switch" => {
                self.at += 1;
                Is::Switch(self.parenthesised()?.to_vec(), self.boxed()?)
            }
            "try" => {
                self.at += 1;
                let body = self.boxed()?;
                let mut handlers = Vec::new();
                while self.accept("catch") {
                    self.parenthesised()?;
                    handlers.push(self.statement()?);
                }
                Is::Try(body, handlers)
            }
            "return" | "throw" => Is::Return(self.simple()?),
            "break" => {
                self.simple()?;
                Is::Break
            }
            "continue" => {
                self.simple()?;
                Is::Continue
            }
            "case" | "default" => {
                while self.at < self.tokens.len() && self.peek(0) != ":" {
                    self.at += 1;
                }
                self.accept(":");
                if self.peek(0) == "}" { Is::Block(Vec::new()) } else { return self.any() }
            }
            "goto" | "asm" | "__asm__" | "_Pragma" | "else" | "co_yield" | "co_await" | "co_return" => return None,
            // A label.
            _ if token.kind == Kind::Word && self.peek(1) == ":" => return None,
            _ => Is::Simple(self.simple()?),
        })
    }

    fn construct(&mut self, directive: &Token) -> Option<Is> {
        let mut words = Vec::new();
        tokens::of_line(&directive.text, directive.line, &mut words);
        let body = if is_alone(&words) { None } else { Some(self.boxed()?) };
        Some(Is::Construct(words, body))
    }

    /// Tokens up to a semicolon outside of brackets.
    fn simple(&mut self) -> Option<Vec<Token>> {
        let begin = self.at;
        let mut depth = 0_usize;
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            match (token.kind, token.text.as_str()) {
                (Kind::Directive, _) => return None,
                (Kind::Sign, "(" | "[" | "{") => depth += 1,
                (Kind::Sign, ")" | "]" | "}") => depth = depth.checked_sub(1)?,
                (Kind::Sign, ";") if depth == 0 => return Some(self.tokens.get(begin..self.at - 1)?.to_vec()),
                _ => {}
            }
        }
        None
    }

    /// Tokens in parentheses.
    fn parenthesised(&mut self) -> Option<&'a [Token]> {
        let begin = self.at + 1;
        let mut depth = 0_usize;
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            match token.text.as_str() {
                "(" => depth += 1,
                ")" if depth == 1 => return self.tokens.get(begin..self.at - 1),
                ")" => depth = depth.checked_sub(1)?,
                _ if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }
}

/// True for a directive without a structured block.
pub(super) fn is_alone(words: &[Token]) -> bool {
    const ALONE: [&str; 16] = [
        "barrier",
        "taskwait",
        "taskyield",
        "flush",
        "cancel",
        "cancellation",
        "threadprivate",
        "declare",
        "scan",
        "depobj",
        "nothing",
        "error",
        "requires",
        "assumes",
        "interop",
        "allocate",
    ];
    let is = |at: usize, names: &[&str]| words.get(at).is_some_and(|word| names.contains(&word.text.as_str()));
    let orders = is(0, &["ordered"]) && words.iter().any(|word| word.text == "depend" || word.text == "doacross");
    is(0, &ALONE) || is(0, &["target"]) && is(1, &["update", "enter", "exit"]) || orders
}

/// Parts of tokens between separators outside of brackets.
pub(super) fn split<'t>(tokens: &'t [Token], separator: &str) -> Vec<&'t [Token]> {
    let mut depth = 0_usize;
    tokens
        .split(|token| {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && token.text == separator
        })
        .collect()
}
