//! Declarations and words of a source file outside of a function, found by word: many functions of one file are asked about.

use std::collections::HashMap;
use std::ops::Range;

use super::tokens::{Kind, Token};

/// Declarations and words outside of functions.
#[derive(Debug, Default)]
pub(super) struct Outside {
    /// Statements outside of all braces.
    statements: Vec<Vec<Token>>,
    /// Numbers of the statements that have a word.
    statements_with: HashMap<String, Vec<usize>>,
    /// Positions in the file of each word in braces.
    in_braces: HashMap<String, Vec<usize>>,
    /// The last line that includes a file of the program; 0: none.
    pub(super) last_include: u32,
}

impl Outside {
    /// Those of a file of C or C++. `last_include`: the last line that includes a file of the program; 0: none.
    pub(super) fn new(tokens: &[Token], last_include: u32) -> Self {
        let mut outside = Self { last_include, ..Self::default() };
        let (mut statement, mut depth) = (Vec::new(), 0_usize);
        for (at, token) in tokens.iter().enumerate() {
            match token.text.as_str() {
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        outside.add_statement(std::mem::take(&mut statement));
                    }
                }
                _ if [Kind::Directive, Kind::Condition].contains(&token.kind) => {}
                ";" if depth == 0 => outside.add_statement(std::mem::take(&mut statement)),
                _ if depth == 0 => statement.push(token.clone()),
                _ if token.kind == Kind::Word => outside.add_word(&token.text, at),
                _ => {}
            }
        }
        outside.add_statement(statement);
        outside
    }

    /// Adds a word in braces.
    pub(super) fn add_word(&mut self, word: &str, at: usize) {
        self.in_braces.entry(word.to_owned()).or_default().push(at);
    }

    /// Adds a statement outside of all braces, without the sign that ends it.
    pub(super) fn add_statement(&mut self, statement: Vec<Token>) {
        for word in statement.iter().filter(|token| token.kind == Kind::Word) {
            let numbers = self.statements_with.entry(word.text.clone()).or_default();
            if numbers.last() != Some(&self.statements.len()) {
                numbers.push(self.statements.len());
            }
        }
        self.statements.push(statement);
    }

    /// True if a word is in braces other than those of a function, whose positions are given.
    pub(super) fn uses(&self, word: &str, function: &Range<usize>) -> bool {
        self.in_braces.get(word).is_some_and(|all| all.iter().any(|at| !function.contains(at)))
    }

    /// The statements outside of all braces that have a word.
    pub(super) fn statements(&self, word: &str) -> impl Iterator<Item = &[Token]> {
        let numbers = self.statements_with.get(word).into_iter().flatten();
        numbers.filter_map(|number| self.statements.get(*number).map(Vec::as_slice))
    }
}

#[cfg(test)]
mod tests {
    use super::super::File;
    use super::super::tokens::tokens;
    use super::*;

    const TEXT: &str = "static int a, b;\nvoid f(int x) { a = x; }  void g(void) { b = 1; }\nstruct S { int d; void h() { d = a; } } e;\n";

    #[test]
    fn words_are_found_in_other_functions_and_in_declarations() {
        let outside = Outside::new(&tokens(TEXT).0, 0);
        let statements = |word| {
            let text = |tokens: &[Token]| tokens.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join(" ");
            outside.statements(word).map(text).collect::<Vec<_>>()
        };
        assert_eq!(statements("a"), ["static int a , b"]);
        assert_eq!(statements("x"), ["void f ( int x )"]);
        assert_eq!(statements("e"), ["e"]);
        assert!(statements("d").is_empty() && statements("nothing").is_empty());
        // The function `f` is at 12 to 17, and `g` at 23 to 28.
        assert!(outside.uses("a", &(12..17)) && outside.uses("b", &(12..17)) && !outside.uses("b", &(23..28)));
        assert!(!outside.uses("f", &(0..0)) && !outside.uses("e", &(0..0)));
    }

    #[test]
    fn the_function_around_a_line_is_the_outermost_one_and_the_last_of_a_line() {
        let mut file = File::new(TEXT, "a.cc").unwrap();
        let mut parameters = |line| {
            let function = file.function(line)?;
            Some(function.parameters.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!((parameters(1), parameters(4)), (None, None));
        assert_eq!(parameters(2).as_deref(), Some("( void )"));
        assert_eq!(parameters(3).as_deref(), Some("( )"));
        assert!(File::new("void f() { } }", "a.c").unwrap().function(1).is_none());
        assert!(File::new(TEXT, "a.py").is_none());
        let nested = "void f(int x) {\n if (x) {\n x++;\n }\n if (x) {\n x--;\n }\n}\n";
        let mut file = File::new(nested, "a.c").unwrap();
        let lines = [1, 3, 6, 8].map(|line| file.function(line).map_or(0, |it| it.parameters.len()));
        assert_eq!(lines, [4; 4]);
    }
}
