//! Call stacks that stand once in the file, and later as a number.

use std::rc::Rc;

use profile_analysis::out::FrameName;
use rustc_hash::FxHashMap;

use super::field::{callstack, frame, interned, mapping};
use super::interned::Interned;
use super::message::Message;

/// Numbers of stacks and their parts so far.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    /// By the address of the first frame, and their number: samples share their frames.
    stacks: FxHashMap<(usize, usize), u64>,
    frames: FxHashMap<FrameName, u64>,
    functions: FxHashMap<String, u64>,
    sources: FxHashMap<String, u64>,
    /// Objects of code, by their names.
    mappings: FxHashMap<String, u64>,
}

impl Interned {
    /// Number of a stack; `None` for an empty one.
    pub(super) fn stack(&mut self, frames: &[Rc<FrameName>]) -> Option<u64> {
        let key = (frames.first()? as *const Rc<FrameName> as usize, frames.len());
        if let Some(known) = self.stacks.stacks.get(&key) {
            return Some(*known);
        }
        let number = self.stacks.stacks.len() as u64 + 1;
        let mut it = Message::default();
        it.number(interned::NUMBER, number);
        for frame in frames {
            it.number(callstack::FRAME, self.frame(frame));
        }
        self.fresh.message(interned::STACK, &it);
        self.stacks.stacks.insert(key, number);
        Some(number)
    }

    fn frame(&mut self, name: &FrameName) -> u64 {
        if let Some(known) = self.stacks.frames.get(name) {
            return *known;
        }
        let number = self.stacks.frames.len() as u64 + 1;
        let mut it = Message::default();
        it.number(interned::NUMBER, number);
        it.number(frame::FUNCTION, self.text(Text::Function, &name.function));
        it.number(frame::MAPPING, self.text(Text::Mapping, &name.object));
        // Readers take frames of one address for the same: a number of its own stands for it.
        it.number(frame::ADDRESS, number);
        if let Some(file) = &name.file {
            it.number(frame::SOURCE, self.text(Text::Source, file));
            it.number(frame::LINE, name.line.into());
        }
        self.fresh.message(interned::FRAME, &it);
        self.stacks.frames.insert(name.clone(), number);
        number
    }

    /// Number of a text of a kind.
    fn text(&mut self, kind: Text, text: &str) -> u64 {
        let (known, field) = match kind {
            Text::Function => (&mut self.stacks.functions, interned::FUNCTION_NAME),
            Text::Source => (&mut self.stacks.sources, interned::SOURCE_PATH),
            Text::Mapping => (&mut self.stacks.mappings, interned::MAPPING_PATH),
        };
        if let Some(known) = known.get(text) {
            return *known;
        }
        let number = known.len() as u64 + 1;
        known.insert(text.to_owned(), number);
        self.define(field, number, text);
        if kind == Text::Mapping {
            let mut it = Message::default();
            it.number(interned::NUMBER, number);
            it.number(mapping::PATH, number);
            self.fresh.message(interned::MAPPING, &it);
        }
        number
    }
}

/// Kind of a text that stands once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Function,
    Source,
    /// A mapping, which has a text and nothing else.
    Mapping,
}
