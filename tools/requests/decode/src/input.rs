//! Input formats of `ora decode`, recognized by the content or named by the user.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use request_format::MAGIC;
use serde::Serialize;

use super::{c_array, hex};

/// Format in which bytes are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The bytes themselves
    Raw,
    /// Hexadecimal text: plain, or as xxd, hexdump, od or gdb print it
    Hex,
    /// A C array: bytes, or with --words `int`s
    C,
    /// A log by `ora run --log-requests`
    Log,
}

/// Format of the bytes, by their content.
pub(super) fn detect(bytes: &[u8]) -> Format {
    if bytes.starts_with(&MAGIC) {
        return Format::Log;
    }
    let is_text = |c: char| c.is_whitespace() || !c.is_control();
    let Some(text) = str::from_utf8(bytes).ok().filter(|text| text.chars().all(is_text)) else { return Format::Raw };
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if text.contains([',', '{']) && !is_dump(first) { Format::C } else { Format::Hex }
}

/// True if a line starts with an offset and a colon, or with an offset and ends with a column of characters.
fn is_dump(line: &str) -> bool {
    let is_offset = |word: &str| {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let first = line.split([' ', ':', '\t']).next().unwrap_or_default();
    is_offset(first) && line.contains([':', '|'])
}

/// The buffer that the text describes.
///
/// # Errors
/// If the text is not in the given format, or contains no bytes.
pub(super) fn buffer(bytes: Vec<u8>, format: Format, words: bool) -> Result<Vec<u8>> {
    let text = || str::from_utf8(&bytes).context("this is not text: try --format raw");
    let buffer = match format {
        Format::Hex => hex::parse(text()?, words)?,
        Format::C => c_array::parse(text()?, words)?,
        Format::Raw | Format::Log => bytes,
    };
    if buffer.is_empty() {
        bail!("there are no numbers in it: nothing to decode. Try another --format");
    }
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_their_look() {
        for (bytes, format) in [
            (&[0u8, 0, 0, 0][..], Format::Raw),
            (&[28, 0, 0, 0, 1, 0], Format::Raw),
            (b"1c 00 00 00\n", Format::Hex),
            (b"0x1c 0x00", Format::Hex),
            (b"00000000: 1c7b  .{\n", Format::Hex),
            (b"00000000  1c 7b  |.{|\n", Format::Hex),
            (b"0x7ffe0010 <b+16>:\t0x04030201\n", Format::Hex),
            (b"{0x1c, 0}", Format::C),
            (b"/* a list: one entry */ {28, 0}", Format::C),
            ("// \u{e4}\n{28, 0}".as_bytes(), Format::C),
            (b"28, 0, 0", Format::C),
            (b"int a[] = {28, 0};", Format::C),
            (b"28,0,0", Format::C),
            (b"ORAREQ\x01\0", Format::Log),
        ] {
            assert_eq!(detect(bytes), format, "{bytes:?}");
        }
    }
}
