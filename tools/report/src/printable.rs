//! Escaping of text from outside for a terminal: names of functions, files, threads and programs. A terminal obeys
//! control characters, and shows text that runs from right to left in another order than it is stored.

use std::borrow::{Borrow, Cow};
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// A name from outside, displayed with `\n`, `\x1b`, `\u{202e}` and the like in place of characters that are no letter,
/// sign or blank.
#[derive(Clone, Debug)]
pub struct Printable<'a>(Cow<'a, str>);

/// An owned name from outside: displayed escaped, available raw for programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Foreign(String);

impl Foreign {
    /// The text without escapes: not for a terminal.
    pub fn raw(&self) -> &str {
        &self.0
    }
}

impl From<String> for Foreign {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl Display for Foreign {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.shown().fmt(out)
    }
}

/// Conversion to a form that may be displayed.
pub trait Shown {
    /// The name with escapes.
    fn shown(&self) -> Printable<'_>;
}

impl Shown for str {
    fn shown(&self) -> Printable<'_> {
        Printable(self.into())
    }
}

impl Shown for String {
    fn shown(&self) -> Printable<'_> {
        self.as_str().shown()
    }
}

impl Shown for OsStr {
    fn shown(&self) -> Printable<'_> {
        Printable(self.to_string_lossy())
    }
}

impl Shown for OsString {
    fn shown(&self) -> Printable<'_> {
        self.as_os_str().shown()
    }
}

impl Shown for Path {
    fn shown(&self) -> Printable<'_> {
        self.as_os_str().shown()
    }
}

impl Shown for PathBuf {
    fn shown(&self) -> Printable<'_> {
        self.as_os_str().shown()
    }
}

impl Display for Printable<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&escaped(&self.0, |_| false))
    }
}

/// Escapes a whole text, except for line ends and tabs of our own. The last resort for names that were not escaped
/// themselves.
pub fn text(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// A command line as one line for a shell: words with line breaks or control characters are quoted.
pub fn command_line(words: &[impl Borrow<str>]) -> String {
    words.iter().map(|word| quoted(word.borrow())).collect::<Vec<_>>().join(" ")
}

/// Text as it stands in an HTML page, outside of tags.
pub fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn quoted(word: &str) -> Cow<'_, str> {
    if !word.contains(|c: char| c.is_ascii_control()) {
        return word.into();
    }
    let escaped = word.replace('\\', "\\\\").replace('\'', "\\'");
    format!("$'{}'", self::escaped(&escaped, |_| false)).into()
}

fn escaped(text: &str, may_stay: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_escaped = |c: char| acts(c) && !may_stay(c);
    if !text.contains(is_escaped) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let _ = match c {
            c if !is_escaped(c) => out.write_char(c),
            '\n' => out.write_str("\\n"),
            '\t' => out.write_str("\\t"),
            '\r' => out.write_str("\\r"),
            c if u32::from(c) < 0x80 => write!(out, "\\x{:02x}", u32::from(c)),
            c => write!(out, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    out.into()
}

/// True for characters with an effect or without a glyph: controls (C0, DEL, C1), line ends of Unicode's, and
/// characters that change the direction or the look of others, or are invisible (Unicode 16, categories Cc, Cf, Zl,
/// Zp).
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2 | 0x180e | 0x200b..=0x200f
            | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb | 0x110bd | 0x110cd | 0x13430..=0x1343f
            | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe007f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let name = "a\x1b]0;t\x07b\nc\td\re\x7f\u{9b}2J\u{202e}f\u{2028}\0é 漢";
        assert_eq!(name.shown().to_string(), "a\\x1b]0;t\\x07b\\nc\\td\\re\\x7f\\u{9b}2J\\u{202e}f\\u{2028}\\x00é 漢");
        assert_eq!(text("a\tb\nc\x1b[0m\r"), "a\tb\nc\\x1b[0m\\r");
        assert!(matches!(text("plain\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn words_with_line_breaks_are_quoted() {
        assert_eq!(command_line(&["a b", "x\ny'\\z\t", "\x1b"]), "a b $'x\\ny\\'\\\\z\\t' $'\\x1b'");
    }

    #[test]
    fn widths_count_what_is_shown() {
        assert_eq!(format!("{:<6}|{:>5}|", "a\n".shown(), Path::new("b").shown()), "a\\n   |    b|");
    }
}
