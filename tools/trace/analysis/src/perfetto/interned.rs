//! Names that are written once to the file, and referred to by a number later.

use std::rc::Rc;

use profile_analysis::out::FrameName;
use rustc_hash::FxHashMap;

use super::definitions::Definitions;
use super::field::interned;
use super::message::Message;
use super::stacks::Stacks;
use crate::Site;

/// Names so far, and those that are to be defined.
#[derive(Debug, Default)]
pub(super) struct Interned {
    names: FxHashMap<String, u64>,
    categories: FxHashMap<&'static str, u64>,
    places: FxHashMap<(String, String, u32), u64>,
    stacks: Stacks,
    fresh: Definitions,
}

impl Interned {
    /// Number of an event's name.
    pub(super) fn name(&mut self, name: &str) -> u64 {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let number = self.names.len() as u64 + 1;
        self.names.insert(name.to_owned(), number);
        self.fresh.define(interned::NAME, number, name);
        number
    }

    /// Number of a category.
    pub(super) fn category(&mut self, name: &'static str) -> u64 {
        let next = self.categories.len() as u64 + 1;
        let number = *self.categories.entry(name).or_insert(next);
        if number == next {
            self.fresh.define(interned::CATEGORY, number, name);
        }
        number
    }

    /// Number of a place in the source.
    pub(super) fn place(&mut self, site: &Site) -> u64 {
        let file = site.file.as_deref().unwrap_or(&site.object);
        let key = (file.to_owned(), site.function.clone(), site.line);
        if let Some(known) = self.places.get(&key) {
            return *known;
        }
        let number = self.places.len() as u64 + 1;
        let mut it = Message::default();
        it.number(interned::NUMBER, number);
        it.text(interned::TEXT, file);
        it.text(interned::FUNCTION, &site.function);
        it.number(interned::LINE, site.line.into());
        self.fresh.add(interned::PLACE, &it);
        self.places.insert(key, number);
        number
    }

    /// Number of a stack; `None` for an empty one.
    pub(super) fn stack(&mut self, frames: &[Rc<FrameName>]) -> Option<u64> {
        self.stacks.number(frames, &mut self.fresh)
    }

    /// Definitions since the last call.
    pub(super) fn take(&mut self) -> Message {
        self.fresh.take()
    }
}
