//! Paths that are not UTF-8. The file's lines are JSON, whose text is UTF-8: a byte that is not is read as a character of Unicode's private use
//! area, and becomes that byte again in the path.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde::{Deserialize, Deserializer, Serializer};

/// First of the 256 characters.
const FIRST: u32 = 0xF700;

/// The text of a line.
pub(crate) fn text(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|byte| char::from_u32(FIRST + u32::from(*byte))));
    }
    text
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OsString, D::Error> {
    let mut path = Vec::new();
    for character in String::deserialize(from)?.chars() {
        match u32::from(character).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok()) {
            Some(byte) => path.push(byte),
            None => path.extend(character.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Ok(OsString::from_vec(path))
}

pub(crate) fn serialize<S: Serializer>(path: &OsStr, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&text(path.as_bytes()))
}
