//! Shortening of names that are too long for their column.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(super) const DOTS: &str = "...";

/// Number of columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Shortens the text to at most this number of columns. The place in `function at file.c:17` and `function  [object]`
/// is kept unless it takes most of the space. The end of a path is kept, and the start and the end of any other text.
pub fn elide(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    // The address in `function (object+0x1234)`.
    let is_address = |at: &usize| text.ends_with(')') && text.get(*at..).is_some_and(|place| place.contains("+0x"));
    let address = text.rfind(" (").filter(is_address);
    let place = [" at ", "  [", "  ("].iter().filter_map(|mark| text.rfind(mark)).chain(address).max();
    if let Some((name, place)) = place.and_then(|place| text.split_at_checked(place))
        && width(place) <= columns * 2 / 3
    {
        return elide(name, columns - width(place)) + place;
    }
    let Some(left) = columns.checked_sub(DOTS.len()).filter(|left| *left > 0) else {
        return first(text, columns).to_owned();
    };
    if text.starts_with(['/', '.']) && text.contains('/') && !text.contains(' ') {
        return format!("{DOTS}{}", last(text, left));
    }
    let end = left / 2;
    format!("{}{DOTS}{}", first(text, left - end), last(text, end))
}

/// The start of a text, as much as fits.
pub(super) fn first(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > columns
    });
    end.map_or(text, |(end, _)| text.get(..end).unwrap_or_default())
}

/// The end of a text, as much as fits.
pub(super) fn last(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let before = text.char_indices().rev().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > columns
    });
    before.map_or(text, |(before, c)| text.get(before + c.len_utf8()..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_names_apart_stays() {
        assert_eq!(elide("short at a.c:1", 14), "short at a.c:1");
        let name = "Foam::fvMatrix<double>::solve at fvMatrix.C:1234";
        assert_eq!(elide(name, 36), "Foam::f...::solve at fvMatrix.C:1234");
        assert_eq!(elide("/usr/lib/x86_64-linux-gnu/libfoo.so.1", 16), "...u/libfoo.so.1");
        assert_eq!(elide("abcdefghij", 7), "ab...ij");
        let name = "cimg::CImg<float>::get_blur(float, bool) const (libgmic.so.1+0x397801)";
        assert_eq!(elide(name, 46), "cimg::CImg...ol) const (libgmic.so.1+0x397801)");
    }

    #[test]
    fn nothing_is_wider_than_its_place() {
        for text in
            ["Foam::fvMatrix<double>::solve at fvMatrix.C:1234", "/usr/lib/libfoo.so.1", "漢字漢字漢字漢字", "a  [b.c]"]
        {
            for columns in 0..40 {
                assert!(width(&elide(text, columns)) <= columns, "{text} {columns}: {}", elide(text, columns));
            }
        }
    }
}
