//! Call stacks that are written once to the file, and referred to by a number later.

use std::rc::Rc;

use profile_analysis::out::FrameName;
use rustc_hash::FxHashMap;

use super::definitions::Definitions;
use super::field::{callstack, frame, interned, mapping};
use super::message::Message;

/// Numbers of stacks and their parts so far.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    /// By the address of the first frame, and the number of frames: samples share their frames.
    stacks: FxHashMap<(usize, usize), u64>,
    frames: FxHashMap<FrameName, u64>,
    functions: FxHashMap<String, u64>,
    sources: FxHashMap<String, u64>,
    /// Objects of code, by their names.
    mappings: FxHashMap<String, u64>,
}

impl Stacks {
    /// Number of a stack; `None` for an empty one.
    pub(super) fn number(&mut self, frames: &[Rc<FrameName>], fresh: &mut Definitions) -> Option<u64> {
        let key = (frames.first()? as *const Rc<FrameName> as usize, frames.len());
        if let Some(known) = self.stacks.get(&key) {
            return Some(*known);
        }
        let number = self.stacks.len() as u64 + 1;
        let mut it = Message::default();
        it.number(interned::NUMBER, number);
        for frame in frames {
            it.number(callstack::FRAME, self.frame(frame, fresh));
        }
        fresh.add(interned::STACK, &it);
        self.stacks.insert(key, number);
        Some(number)
    }

    fn frame(&mut self, name: &FrameName, fresh: &mut Definitions) -> u64 {
        if let Some(known) = self.frames.get(name) {
            return *known;
        }
        let number = self.frames.len() as u64 + 1;
        let mut it = Message::default();
        it.number(interned::NUMBER, number);
        it.number(frame::FUNCTION, self.text(Text::Function, &name.function, fresh));
        it.number(frame::MAPPING, self.text(Text::Mapping, &name.object, fresh));
        // Readers treat frames with the same address as identical, so each frame gets a number of its own.
        it.number(frame::ADDRESS, number);
        if let Some(file) = &name.file {
            it.number(frame::SOURCE, self.text(Text::Source, file, fresh));
            it.number(frame::LINE, name.line.into());
        }
        fresh.add(interned::FRAME, &it);
        self.frames.insert(name.clone(), number);
        number
    }

    /// Number of a text of a kind.
    fn text(&mut self, kind: Text, text: &str, fresh: &mut Definitions) -> u64 {
        let (known, field) = match kind {
            Text::Function => (&mut self.functions, interned::FUNCTION_NAME),
            Text::Source => (&mut self.sources, interned::SOURCE_PATH),
            Text::Mapping => (&mut self.mappings, interned::MAPPING_PATH),
        };
        if let Some(known) = known.get(text) {
            return *known;
        }
        let number = known.len() as u64 + 1;
        known.insert(text.to_owned(), number);
        fresh.define(field, number, text);
        if kind == Text::Mapping {
            let mut it = Message::default();
            it.number(interned::NUMBER, number);
            it.number(mapping::PATH, number);
            fresh.add(interned::MAPPING, &it);
        }
        number
    }
}

/// Kind of a text that is written once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Function,
    Source,
    /// A mapping, which only has a text.
    Mapping,
}
