//! Functions, frames and constructs of a profile, each stored once.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use symbols::{self, BriefNames, Name};

/// Tables of functions, frames and the constructs of regions, by index.
#[derive(Clone, Debug, Default)]
pub struct Code {
    functions: Once<Function>,
    frames: Once<Frame>,
    constructs: Once<Construct>,
}

/// A function, and the outlined bodies of its constructs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Name as its author knows it, or `<OMP-...>`.
    pub name: String,
    /// Source file.
    pub file: Option<String>,
    /// File name of its object.
    pub object: String,
}

impl Function {
    /// True for a function of the C library.
    pub(crate) fn is_of_c_library(&self) -> bool {
        ["libc.so", "libc-", "libpthread", "ld-musl"].iter().any(|name| self.object.starts_with(name))
    }
}

/// A place in a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Index in [`Code::functions`].
    pub function: u32,
    /// Source file.
    pub file: Option<String>,
    /// Line; 0: unknown.
    pub line: u32,
    /// The construct whose outlined body the function is, if it is one.
    pub construct: Option<symbols::Construct>,
    /// The construct that ends with the barrier which is called there.
    pub ends: Option<symbols::ConstructEnd>,
}

/// A parallel region of the program's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Construct {
    /// Index in [`Code::functions`].
    pub function: u32,
    /// Source file.
    pub file: Option<String>,
    /// Line; 0: unknown.
    pub line: u32,
    /// Address of the call that starts the region, if the line is unknown.
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

    /// All regions of the program's text with samples.
    pub fn constructs(&self) -> &[Construct] {
        &self.constructs.list
    }

    /// A frame by its index, with its function.
    pub fn frame(&self, number: u32) -> Option<(&Frame, &Function)> {
        let frame = self.frames.list.get(number as usize)?;
        Some((frame, self.functions.list.get(frame.function as usize)?))
    }

    /// A function by its index.
    pub fn function(&self, number: u32) -> Option<&Function> {
        self.functions.list.get(number as usize)
    }

    /// A construct by its index, with its function.
    pub fn construct(&self, number: u32) -> Option<(&Construct, &Function)> {
        let construct = self.constructs.list.get(number as usize)?;
        Some((construct, self.functions.list.get(construct.function as usize)?))
    }

    pub(super) fn pseudo(&mut self, name: &str) -> u32 {
        let function = Function { name: name.to_owned(), file: None, object: String::new() };
        let function = self.functions.number(function);
        self.frames.number(Frame { function, file: None, line: 0, construct: None, ends: None })
    }

    pub(super) fn named(&mut self, name: &Name) -> u32 {
        let function = self.function_of(name);
        let Name { mut file, mut line, place, construct, ends, .. } = name.clone();
        if let Some(place) = place {
            (file, line) = (Some(place.file), place.line);
        }
        self.frames.number(Frame { function, file, line, construct, ends })
    }

    pub(super) fn region(&mut self, construct: Construct) -> u32 {
        self.constructs.number(construct)
    }

    /// An unknown region within `around`.
    pub(super) fn somewhere_in(&mut self, around: Option<u32>) -> u32 {
        let around =
            around.map(|around| crate::describe::region(self, around)).filter(|around| !around.starts_with('<'));
        let name = around.map_or("<a region>".to_owned(), |around| format!("<a region inside of {around}>"));
        let function = self.functions.number(Function { name, file: None, object: String::new() });
        self.constructs.number(Construct { function, file: None, line: 0, address: None })
    }

    /// Removes the argument lists from functions' names, unless two names differ only there.
    pub(super) fn shorten(&mut self) {
        let functions = &mut self.functions.list;
        let names = BriefNames::of(functions.iter().map(|function| function.name.as_str()));
        functions.iter_mut().for_each(|function| function.name.truncate(names.brief(&function.name).len()));
    }

    fn function_of(&mut self, name: &Name) -> u32 {
        let Name { function, file, object, .. } = name.clone();
        self.functions.number(Function { name: function, file, object })
    }
}

impl Function {
    /// True for a pseudo function, which represents activity of the runtime or unknown code.
    pub fn is_pseudo(&self) -> bool {
        self.object.is_empty() && self.name.starts_with('<')
    }
}

/// A table of distinct values, by index.
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
    /// Creates a table with a first value that no other value equals.
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
