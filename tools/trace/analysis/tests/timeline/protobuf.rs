//! An independent reader of protocol buffers: fields of a message.

/// A field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Fields of a message, in their order.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    fn varint(&mut self) -> u64 {
        let mut number = 0;
        for place in 0..10 {
            let (byte, rest) = self.0.split_first().unwrap();
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return number;
            }
        }
        panic!("a number of more than 64 bits");
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let key = self.varint();
        let value = match key & 7 {
            0 => Value::Number(self.varint()),
            1 => Value::Number(u64::from_le_bytes(self.take(8).try_into().unwrap())),
            2 => {
                let length = usize::try_from(self.varint()).unwrap();
                Value::Bytes(self.take(length))
            }
            other => panic!("type {other} of a field"),
        };
        Some((key >> 3, value))
    }
}

/// The numbers of a message's field.
pub(crate) fn numbers(message: &[u8], field: u64) -> Vec<u64> {
    let of_field = Fields(message).filter(|(number, _)| *number == field);
    of_field.map(|(_, value)| if let Value::Number(number) = value { number } else { panic!("{value:?}") }).collect()
}

/// The messages of a message's field.
pub(crate) fn messages(message: &[u8], field: u64) -> Vec<&[u8]> {
    let of_field = Fields(message).filter(|(number, _)| *number == field);
    of_field.map(|(_, value)| if let Value::Bytes(bytes) = value { bytes } else { panic!("{value:?}") }).collect()
}

/// The text of a message's field.
pub(crate) fn text(message: &[u8], field: u64) -> String {
    String::from_utf8(messages(message, field)[0].to_vec()).unwrap()
}
