//! Settings by region: the lines of the file that `ORA_TUNE` names.
//!
//! `ora tune` writes the file, and `libora.so` reads it while the program starts. It is text that people can read and change:
//!
//! ```text
//! # Text after a number sign is a comment.
//! object fill 0af2b7c0ffee
//! region 0x1189 0x1240 threads=2
//! region 0x1250 0x12f0 chunk=64       # rows at fill.c:12
//! ```
//!
//! `object` begins the regions of an executable or a library. It has the last component of the object's path, which may have blanks but no
//! ` ` at its end, and its build ID in hexadecimal digits, or `-`. If both the line and the object have a build ID, the name is only
//! informative: `?` replaces what a line can't contain. `region` has the addresses in that file between which the code of the region's body
//! is, as `objdump` shows them; then the largest number of threads in a team, and the chunk of the loops in it whose schedule is dynamic or
//! guided.
//!
//! Reading allocates nothing.

use std::fmt;

/// A line that contains a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// The object of the regions that follow.
    Object(Object<'a>),
    /// A region of the last object.
    Region(Region),
}

/// An executable or a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    /// The last component of its path.
    pub name: &'a [u8],
    /// Its build ID in hexadecimal digits; `None`: it has none.
    pub build_id: Option<&'a [u8]>,
}

/// Settings of the regions with one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Address of the body's first instruction in its file, and the address past its last one.
    pub begin: u64,
    /// See `begin`.
    pub end: u64,
    /// Largest number of threads in a team; 0: as the program says.
    pub threads: u32,
    /// Chunk of loops with a dynamic or guided schedule; 0: as the program says.
    pub chunk: u32,
}

/// Number of a line, counted from 1, that is neither of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong(pub usize);

impl Wrong {
    /// The error in such a line, in words.
    pub const WHAT: &str = "is neither `object NAME BUILD-ID` nor `region BEGIN END [threads=N] [chunk=N]`";
}

impl fmt::Display for Wrong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {} {}", self.0, Self::WHAT)
    }
}

impl std::error::Error for Wrong {}

/// The lines of a file that contain settings.
pub fn lines(file: &[u8]) -> impl Iterator<Item = Result<Line<'_>, Wrong>> {
    let numbered = file.split(|byte| *byte == b'\n').zip(1..);
    numbered.filter_map(|(line, number)| {
        let said = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
        (!said.is_empty()).then(|| Line::of(said).ok_or(Wrong(number)))
    })
}

impl<'a> Line<'a> {
    fn of(said: &'a [u8]) -> Option<Self> {
        let (word, rest) = cut(said);
        match word {
            b"object" => Object::of(rest).map(Self::Object),
            b"region" => Region::of(rest).map(Self::Region),
            _ => None,
        }
    }
}

impl<'a> Object<'a> {
    fn of(said: &'a [u8]) -> Option<Self> {
        let blank = said.iter().rposition(u8::is_ascii_whitespace)?;
        let (name, build_id) = said.split_at(blank);
        let build_id = build_id.trim_ascii();
        let is_known = build_id != b"-";
        let is_id = build_id.iter().all(u8::is_ascii_hexdigit) && build_id.len().is_multiple_of(2);
        (!is_known || is_id).then_some(Self { name: name.trim_ascii(), build_id: is_known.then_some(build_id) })
    }

    /// True if this is the object with that name and build ID. If both have an ID, it decides.
    pub fn is(&self, name: &[u8], build_id: Option<&[u8]>) -> bool {
        match (self.build_id, build_id) {
            (Some(digits), Some(id)) => {
                let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
                digits.len() == 2 * id.len() && digits.chunks(2).zip(id).all(|(pair, id)| byte(pair) == Some(*id))
            }
            _ => self.name == name,
        }
    }
}

impl Region {
    fn of(said: &[u8]) -> Option<Self> {
        let (begin, rest) = cut(said);
        let (end, mut rest) = cut(rest);
        let mut region = Self { begin: address(begin)?, end: address(end)?, threads: 0, chunk: 0 };
        while !rest.is_empty() {
            let (word, behind) = cut(rest);
            let number = |name: &[u8]| std::str::from_utf8(word.strip_prefix(name)?).ok()?.parse().ok();
            match (number(b"threads="), number(b"chunk=")) {
                (Some(threads), None) => region.threads = threads,
                (None, Some(chunk)) => region.chunk = chunk,
                _ => return None,
            }
            rest = behind;
        }
        (region.begin < region.end).then_some(region)
    }
}

/// The first word, and the rest.
fn cut(said: &[u8]) -> (&[u8], &[u8]) {
    let end = said.iter().position(u8::is_ascii_whitespace).unwrap_or(said.len());
    let (word, rest) = said.split_at(end);
    (word, rest.trim_ascii())
}

fn address(word: &[u8]) -> Option<u64> {
    let digits = word.strip_prefix(b"0x").filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

impl fmt::Display for Object<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let build_id = self.build_id.unwrap_or(b"-");
        // A file may have any name. No line ends with such a character, nor does the significant part of a line.
        let ends_name = |c: char| c == '#' || c.is_control();
        let name = String::from_utf8_lossy(self.name);
        let parts = name.trim().split(ends_name);
        parts
            .enumerate()
            .try_for_each(|(number, part)| write!(out, "{}{part}", if number == 0 { "object " } else { "?" }))?;
        write!(out, " {}", String::from_utf8_lossy(build_id))
    }
}

impl fmt::Display for Region {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "region {:#x} {:#x}", self.begin, self.end)?;
        for (name, number) in [("threads", self.threads), ("chunk", self.chunk)] {
            if number > 0 {
                write!(out, " {name}={number}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
