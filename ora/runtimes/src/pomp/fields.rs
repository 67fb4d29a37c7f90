//! Entry points of the fuzzer: CTC strings, and the lines that are written about them, from arbitrary bytes.

use super::{ctc, regions_file, sites};

/// Fields of a string. Missing fields are empty, or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields<'a> {
    /// The text up to its end, truncated to the length that is recorded.
    pub text: &'a [u8],
    /// The value of `regionType`.
    pub construct: &'a [u8],
    /// True for a word that denotes a construct.
    pub is_known: bool,
    /// The source file.
    pub file: &'a [u8],
    /// First and last line of the directive that begins the construct, then of the one that ends it.
    pub lines: [u32; 4],
    /// The name of a critical construct or user region.
    pub name: &'a [u8],
    /// The number of sections.
    pub sections: u32,
    /// The kind of a loop's schedule.
    pub schedule: &'a [u8],
    /// True for a loop with an `ordered` clause.
    pub is_ordered: bool,
}

/// Passes the fields of a string to `show`; `None` if the bytes end before the string does.
pub fn with_fields<T>(string: &[u8], show: impl FnOnce(&Fields<'_>) -> T) -> Option<T> {
    sites::with_copy(string, |text| {
        let ctc = ctc::parse(text);
        show(&Fields {
            text,
            construct: ctc::construct(text),
            is_known: ctc.construct != ctc::Construct::Other,
            file: ctc.file,
            lines: [ctc.begin.first, ctc.begin.last, ctc.end.first, ctc.end.last],
            name: ctc.name,
            sections: ctc.sections,
            schedule: ctc.schedule,
            is_ordered: ctc.ordered,
        })
    })
}

/// Passes the parts of the line that is written about a call to `show`; `None` if none is written.
pub fn with_line<T>(
    (object, address): (&[u8], u64),
    function: &[u8],
    text: &[u8],
    show: impl FnOnce(&[&[u8]]) -> T,
) -> Option<T> {
    regions_file::with_line((object, address), function, (&ctc::parse(text), ctc::construct(text)), show)
}
