//! Statements of a function of the program, as far as advice about a variable needs them.
//!
//! Covers the structured part of C, C++ and free-form Fortran. A function with anything else (jumps, lambdas that use the
//! variable) is not understood: then no advice that depends on it is given.

mod barriers;
mod declarations;
mod fortran;
mod liveness;
mod one_thread;
mod outside;
mod questions;
mod shape;
mod statements;
mod tokens;

pub(crate) use one_thread::OneThread;
pub(crate) use shape::{COMPOUND, Use, update};

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use outside::Outside;
use tokens::{Kind, Token};

/// A function, parsed.
#[derive(Debug)]
pub(crate) struct Function {
    /// Tokens of the parameter list.
    parameters: Vec<Token>,
    body: Vec<Statement>,
    /// Words that code may use where it can't be seen: in macros, and in internal procedures.
    hidden: Rc<HashSet<String>>,
    /// The rest of its file, and its own positions there.
    outside: Rc<Outside>,
    own: Range<usize>,
    /// True if parts of it may not be compiled.
    is_conditional: bool,
    language: Language,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cpp,
    Fortran,
}

/// A statement with its first and last line.
#[derive(Debug)]
struct Statement {
    first: u32,
    last: u32,
    is: Is,
}

#[derive(Debug)]
enum Is {
    Simple(Vec<Token>),
    Block(Vec<Statement>),
    If {
        head: Vec<Token>,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    Loop {
        init: Vec<Token>,
        condition: Vec<Token>,
        step: Vec<Token>,
        body: Box<Statement>,
        tests_first: bool,
    },
    Switch(Vec<Token>, Box<Statement>),
    /// A body and its handlers.
    Try(Box<Statement>, Vec<Statement>),
    Return(Vec<Token>),
    Break,
    Continue,
    /// An OpenMP directive, and the structured block that it applies to.
    Construct(Vec<Token>, Option<Box<Statement>>),
}

/// A source file. It is read once for all functions in it.
#[derive(Debug)]
pub(crate) struct File {
    by_language: ByLanguage,
    /// The functions that were asked for, by the position of their first token or line.
    functions: HashMap<usize, Option<Rc<Function>>>,
}

#[derive(Debug)]
enum ByLanguage {
    C(statements::File),
    Fortran(fortran::File),
}

impl File {
    /// A file of this text and name. `None` in other languages.
    pub(crate) fn new(text: &str, file: &str) -> Option<Self> {
        let ending = file.rsplit('.').next().unwrap_or_default();
        let by_language = match ending.to_ascii_lowercase().as_str() {
            "f90" | "f95" | "f03" | "f08" => ByLanguage::Fortran(fortran::File::new(text)),
            "c" if ending == "c" => ByLanguage::C(statements::File::new(text, Language::C)),
            "c" | "cc" | "cpp" | "cxx" | "c++" | "h" | "hh" | "hpp" | "hxx" => {
                ByLanguage::C(statements::File::new(text, Language::Cpp))
            }
            _ => return None,
        };
        Some(Self { by_language, functions: HashMap::new() })
    }

    /// The function that contains a line. `None` if it can't be parsed.
    pub(crate) fn function(&mut self, line: u32) -> Option<Rc<Function>> {
        match &self.by_language {
            ByLanguage::C(file) => {
                let extent = file.extent(line)?;
                self.functions.entry(extent.start).or_insert_with(|| file.function(extent).map(Rc::new)).clone()
            }
            ByLanguage::Fortran(file) => {
                let extent = file.extent(line)?;
                let begin = extent.begin;
                self.functions.entry(begin).or_insert_with(|| file.function(&extent).map(Rc::new)).clone()
            }
        }
    }
}

impl Statement {
    fn new(is: Is, first: u32, last: u32) -> Self {
        Self { first, last, is }
    }

    fn spans(&self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }

    /// The statements directly inside it.
    fn children(&self) -> Vec<&Self> {
        match &self.is {
            Is::Block(all) => all.iter().collect(),
            Is::If { then, otherwise, .. } => {
                [Some(then), otherwise.as_ref()].into_iter().flatten().map(|it| &**it).collect()
            }
            Is::Loop { body, .. } | Is::Switch(_, body) | Is::Construct(_, Some(body)) => vec![body],
            Is::Try(body, handlers) => [&**body].into_iter().chain(handlers).collect(),
            _ => Vec::new(),
        }
    }

    /// Its own tokens, without those of the statements in it.
    fn own_tokens(&self) -> Vec<&[Token]> {
        match &self.is {
            Is::Simple(tokens) | Is::Return(tokens) | Is::Switch(tokens, _) | Is::Construct(tokens, _) => vec![tokens],
            Is::If { head, .. } => vec![head],
            Is::Loop { init, condition, step, .. } => vec![init, condition, step],
            _ => Vec::new(),
        }
    }

    /// Calls a function for it and for each statement inside it.
    fn each<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        self.children().into_iter().for_each(|child| child.each(visit));
    }

    /// True if it or a statement in it uses a variable.
    fn uses(&self, name: &str) -> bool {
        let mut uses = false;
        self.each(&mut |it| uses |= it.own_tokens().iter().any(|tokens| has(tokens, name)));
        uses
    }

    /// The words of its directive.
    fn directive(&self) -> Option<&[Token]> {
        match &self.is {
            Is::Construct(tokens, _) => Some(tokens),
            _ => None,
        }
    }

    fn is_construct(&self, words: &[&str]) -> bool {
        // Clauses follow the construct's names.
        let names = self.directive().unwrap_or_default().iter().take_while(|token| token.kind == Kind::Word);
        names.into_iter().any(|token| words.contains(&token.text.as_str()))
    }
}

/// Positions at which tokens name a variable: neither a member nor a name in a namespace.
fn places<'a>(tokens: &'a [Token], name: &'a str) -> impl Iterator<Item = usize> + 'a {
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map_or("", |token| &token.text);
        (token.kind == Kind::Word && token.text == name && !["->", ".", "::"].contains(&before)).then_some(at)
    })
}

fn has(tokens: &[Token], name: &str) -> bool {
    places(tokens, name).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_parsed_once_for_all_of_its_lines() {
        let c = "int f(int a) {\n a++;\n return a;\n}\nint g(int b) {\n return b;\n}\n";
        let fortran = "subroutine f(a)\n a = 1\n a = 2\nend subroutine\nsubroutine g(b)\n b = 1\nend subroutine\n";
        for (text, name) in [(c, "a.c"), (fortran, "a.f90")] {
            let mut file = File::new(text, name).unwrap();
            let [second, third, sixth] = [2, 3, 6].map(|line| file.function(line).unwrap());
            assert!(Rc::ptr_eq(&second, &third) && !Rc::ptr_eq(&third, &sixth), "{name}");
        }
    }
}
