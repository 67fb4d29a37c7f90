//! Records: a kind, a length, and compressed numbers.

/// A record under construction.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    kind: u8,
    data: Vec<u8>,
}

impl Record {
    pub(crate) fn new(kind: u8) -> Self {
        Self { kind, data: Vec::new() }
    }

    /// Adds a byte.
    pub(crate) fn byte(mut self, byte: u8) -> Self {
        self.data.push(byte);
        self
    }

    /// Adds a number of 32 bits.
    pub(crate) fn number(self, number: u32) -> Self {
        if number == u32::MAX { self.byte(0xff) } else { self.long(number.into()) }
    }

    /// Adds a number of 64 bits.
    pub(crate) fn long(mut self, number: u64) -> Self {
        compress(&mut self.data, number);
        self
    }

    /// Adds a text, which ends at its first zero byte.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.data.extend(text.bytes().take_while(|byte| *byte != 0));
        self.byte(0)
    }

    /// The record's bytes: with a length of one byte, or of nine.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = vec![self.kind];
        match u8::try_from(self.data.len()).ok().filter(|length| *length < u8::MAX) {
            Some(length) => out.push(length),
            None => {
                out.push(u8::MAX);
                out.extend((self.data.len() as u64).to_le_bytes());
            }
        }
        out.extend(&self.data);
        out
    }
}

/// A number as compressed by OTF2: the number of its bytes, and the bytes, the lowest first. 0 and the largest number
/// take one byte.
pub(crate) fn compress(out: &mut Vec<u8>, number: u64) {
    if number == 0 || number == u64::MAX {
        out.push(if number == 0 { 0 } else { 0xff });
        return;
    }
    let length = 8 - number.leading_zeros() as usize / 8;
    out.push(u8::try_from(length).unwrap_or(8));
    out.extend(number.to_le_bytes().iter().take(length));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_they_need_to_be() {
        let of = |number| Record::new(1).long(number).data;
        assert_eq!(of(0), [0]);
        assert_eq!(of(u64::MAX), [0xff]);
        assert_eq!(of(5), [1, 5]);
        assert_eq!(of(0xff), [1, 0xff]);
        assert_eq!(of(0x100), [2, 0, 1]);
        assert_eq!(of(1 << 63), [8, 0, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(Record::new(1).number(u32::MAX).data, [0xff]);
    }

    #[test]
    fn long_records_have_a_long_length() {
        let text = "x".repeat(300);
        let bytes = Record::new(10).text(&text).bytes();
        assert_eq!(bytes[..10], [10, 0xff, 45, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Record::new(10).text("a\0b").bytes(), [10, 2, b'a', 0]);
    }
}
