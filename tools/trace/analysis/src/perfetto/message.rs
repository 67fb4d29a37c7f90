//! Messages of protocol buffers, as bytes.

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a number of any integer type.
    pub(super) fn number(&mut self, field: u64, number: u64) {
        self.varint(field << 3);
        self.varint(number);
    }

    /// Adds a number of type `fixed64`.
    pub(super) fn fixed(&mut self, field: u64, number: u64) {
        self.varint(field << 3 | 1);
        self.0.extend(number.to_le_bytes());
    }

    /// Adds a text.
    pub(super) fn text(&mut self, field: u64, text: &str) {
        self.piece(field, text.as_bytes());
    }

    /// Adds a message.
    pub(super) fn message(&mut self, field: u64, message: &Self) {
        self.piece(field, &message.0);
    }

    fn piece(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    /// Seven bits per byte, the lowest first; all bytes but the last have the highest bit set.
    #[allow(clippy::cast_possible_truncation)] // seven bits
    fn varint(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the format's documentation: field 1 with 150, and field 2 with "testing".
    #[test]
    fn bytes_are_those_of_the_formats_documentation() {
        let mut message = Message::default();
        message.number(1, 150);
        message.text(2, "testing");
        assert_eq!(message.bytes(), b"\x08\x96\x01\x12\x07testing");
        let mut outer = Message::default();
        outer.message(3, &message);
        outer.fixed(4, 1);
        assert_eq!(outer.bytes(), b"\x1a\x0c\x08\x96\x01\x12\x07testing\x21\x01\0\0\0\0\0\0\0");
    }
}
