//! Functions and frames, each of them once.

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::names::{self, Name, brief};

/// Functions, frames and the constructs of regions, by number.
#[derive(Clone, Debug, Default)]
pub struct Code {
    functions: Once<Function>,
    frames: Once<Frame>,
    constructs: Once<Construct>,
}

/// A function, and the outlined bodies of its constructs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// As its author calls it, or `<OMP-...>`.
    pub name: String,
    /// Its source file.
    pub file: Option<String>,
    /// File name of its object.
    pub object: String,
}

/// A place in a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// A number in [`Code::functions`].
    pub function: u32,
    /// Its source file.
    pub file: Option<String>,
    /// 0: unknown.
    pub line: u32,
    /// Set in the outlined body of a construct.
    pub construct: Option<names::Construct>,
}

/// A parallel region in the program's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Construct {
    /// A number in [`Code::functions`].
    pub function: u32,
    /// Its source file.
    pub file: Option<String>,
    /// 0: unknown.
    pub line: u32,
    /// Where the line is unknown: the address of the call that begins the region.
    pub address: Option<u64>,
}

impl Code {
    /// All functions.
    pub fn functions(&self) -> &[Function] {
        &self.functions.list
    }

    /// All frames.
    pub fn frames(&self) -> &[Frame] {
        &self.frames.list
    }

    /// All regions of the program's text that samples lie in.
    pub fn constructs(&self) -> &[Construct] {
        &self.constructs.list
    }

    /// A frame and its function.
    pub fn frame(&self, number: u32) -> Option<(&Frame, &Function)> {
        let frame = self.frames.list.get(number as usize)?;
        Some((frame, self.functions.list.get(frame.function as usize)?))
    }

    /// A function.
    pub fn function(&self, number: u32) -> Option<&Function> {
        self.functions.list.get(number as usize)
    }

    /// A construct and its function.
    pub fn construct(&self, number: u32) -> Option<(&Construct, &Function)> {
        let construct = self.constructs.list.get(number as usize)?;
        Some((construct, self.functions.list.get(construct.function as usize)?))
    }

    pub(super) fn pseudo(&mut self, name: &str) -> u32 {
        let function = Function { name: name.to_owned(), file: None, object: String::new() };
        let function = self.functions.number(function);
        self.frames.number(Frame { function, file: None, line: 0, construct: None })
    }

    pub(super) fn named(&mut self, name: &Name) -> u32 {
        let function = self.function_of(name);
        let Name { mut file, mut line, place, construct, .. } = name.clone();
        if let Some(place) = place {
            (file, line) = (Some(place.file), place.line);
        }
        self.frames.number(Frame { function, file, line, construct })
    }

    pub(super) fn region(&mut self, construct: Construct) -> u32 {
        self.constructs.number(construct)
    }

    /// A region that nothing is known of but the one around it.
    pub(super) fn somewhere_in(&mut self, around: Option<u32>) -> u32 {
        let around = around.map(|around| crate::words::region(self, around)).filter(|around| !around.starts_with('<'));
        let name = around.map_or("<a region>".to_owned(), |around| format!("<a region inside of {around}>"));
        let function = self.functions.number(Function { name, file: None, object: String::new() });
        self.constructs.number(Construct { function, file: None, line: 0, address: None })
    }

    /// Takes the argument lists out of functions' names, but where two differ only there.
    pub(super) fn shorten(&mut self) {
        let mut wholes: FxHashMap<String, String> = FxHashMap::default();
        let mut ambiguous = BTreeSet::new();
        for function in &self.functions.list {
            let short = brief(&function.name);
            match wholes.get(short) {
                Some(whole) if *whole != function.name => drop(ambiguous.insert(short.to_owned())),
                Some(_) => {}
                None => drop(wholes.insert(short.to_owned(), function.name.clone())),
            }
        }
        for function in &mut self.functions.list {
            let short = brief(&function.name);
            if short.len() < function.name.len() && !ambiguous.contains(short) {
                function.name = short.to_owned();
            }
        }
    }

    fn function_of(&mut self, name: &Name) -> u32 {
        let Name { function, file, object, .. } = name.clone();
        self.functions.number(Function { name: function, file, object })
    }
}

impl Function {
    /// It stands for something that the runtime does, or that isn't known.
    pub fn is_pseudo(&self) -> bool {
        self.object.is_empty() && self.name.starts_with('<')
    }
}

/// Things with numbers, each of them once.
#[derive(Clone, Debug)]
pub(super) struct Once<T> {
    pub(super) list: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self { list: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Once<T> {
    /// A first one that nothing is equal to.
    pub(super) fn with_first(first: T) -> Self {
        Self { list: vec![first], numbers: FxHashMap::default() }
    }

    pub(super) fn number(&mut self, thing: T) -> u32 {
        if let Some(number) = self.numbers.get(&thing) {
            return *number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_differ_in_their_arguments_only_keep_them() {
        let mut code = Code::default();
        for function in ["f(int)", "f(double)", "g(int)", "g(int)", "h"] {
            code.named(&Name { function: function.to_owned(), object: "a".to_owned(), ..Name::default() });
        }
        code.shorten();
        let names: Vec<_> = code.functions().iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["f(int)", "f(double)", "g", "h"]);
    }
}
