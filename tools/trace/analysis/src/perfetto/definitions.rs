//! Definitions of names, which come in the file before their first use.

use super::field::interned;
use super::message::Message;

/// Definitions that are yet to be written.
#[derive(Debug, Default)]
pub(super) struct Definitions(Message);

impl Definitions {
    /// Adds a name of this kind.
    pub(super) fn define(&mut self, field: u64, number: u64, name: &str) {
        let mut it = Message::default();
        it.number(interned::NUMBER, number);
        it.text(interned::TEXT, name);
        self.add(field, &it);
    }

    /// Adds a definition of this kind.
    pub(super) fn add(&mut self, field: u64, definition: &Message) {
        self.0.message(field, definition);
    }

    /// Takes what is yet to be written.
    pub(super) fn take(&mut self) -> Message {
        std::mem::take(&mut self.0)
    }
}
