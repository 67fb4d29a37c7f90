//! Escaping of text from outside: names of functions, files, threads and programs. A terminal obeys control characters, and
//! displays right-to-left text in another order than it is stored in. Each output format has its own escaping function
//! here:
//! - text of a terminal, and lines of text files ([`Shown`], [`text()`], [`command_line`]);
//! - XML, SVG and HTML ([`markup`]), and JSON in a page's script ([`script`]);
//! - folded stacks ([`frame`]);
//! - JSON, Perfetto's and Parquet's files need none: their writers escape texts or store their lengths. OTF2's texts end at a
//!   zero byte, which [`Shown`] escapes.

use std::borrow::{Borrow, Cow};
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// A name from outside. When it is displayed, `\n`, `\x1b`, `\u{202e}` and the like replace characters other than
/// letters, signs and blanks.
#[derive(Clone, Debug)]
pub struct Printable<'a>(Cow<'a, str>);

/// An owned name from outside. It is displayed with escapes, and available unchanged for programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Foreign(String);

impl Foreign {
    /// The text without escapes, which must not be written to a terminal.
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

/// Conversion to a form that is safe to display.
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

/// Escapes a whole text, except for line ends and tabs written by `ora` itself. This is the last resort for names
/// that were not escaped themselves.
pub fn text(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// A command line as one line for a shell: words with line breaks or control characters are quoted.
pub fn command_line(words: &[impl Borrow<str>]) -> String {
    words.iter().map(|word| quoted(word.borrow())).collect::<Vec<_>>().join(" ")
}

/// Text as it is written in XML, SVG and HTML, between tags or in an attribute. No character is left that XML 1.0 forbids
/// (section 2.2).
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escaped(text, |c| matches!(c, '\n' | '\t')).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// JSON as it is written in a script of an HTML page: nothing in it can be taken for the end of the script, and it contains
/// no character that HTML forbids, or that affects the text around it. Such characters occur in strings only, where JSON has
/// an escape for each.
pub fn script(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '<' || acts(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(out, "\\u{unit:04x}"));
        } else {
            out.push(c);
        }
    }
    out
}

/// Name of a frame in a line of folded stacks, without characters that would end the name (a semicolon, which occurs in
/// Rust's array types) or the line.
pub fn frame(name: &str) -> String {
    let is_end = |c: char| matches!(c, '\n' | '\r' | '\t' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let name = name.trim().replace(';', ":").replace(is_end, " ");
    if name.is_empty() { "?".to_owned() } else { name.shown().to_string() }
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

/// True for characters with an effect or without a glyph: controls (C0, DEL, C1), Unicode's line ends, characters
/// that change the direction or the appearance of others, invisible ones (Unicode 16, categories Cc, Cf, Zl, Zp), and
/// the two that XML forbids.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2 | 0x180e | 0x200b..=0x200f
            | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb | 0xfffe..=0xffff | 0x110bd | 0x110cd | 0x13430..=0x1343f
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

    #[test]
    fn markup_has_no_character_that_xml_forbids() {
        let name = "a<b>&\"'\x1b\0\u{fffe}\u{202e}\u{9b}\n";
        assert_eq!(markup(name), "a&lt;b&gt;&amp;&quot;&#39;\\x1b\\x00\\u{fffe}\\u{202e}\\u{9b}\n");
    }

    #[test]
    fn json_in_a_script_has_no_character_that_acts() {
        assert_eq!(script("\"</a>\u{202e}\u{e0001}é\""), "\"\\u003c/a>\\u202e\\udb40\\udc01é\"");
    }

    #[test]
    fn a_frame_ends_neither_its_name_nor_its_line() {
        assert_eq!(["a;b\nc\x1b", " \t", "x"].map(frame), ["a:b c\\x1b", "?", "x"]);
    }
}
