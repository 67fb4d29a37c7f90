//! Name and version of the runtime, for tools: libgomp's newest symbol version, and this library's release.

use super::exports::RUNTIMES;
use super::lookup_scope::is_libgomp;
use super::runtime::Runtime;
use std::ffi::CStr;
use std::sync::OnceLock;
use system::objects::any_object;

/// Room for the text.
const TEXT_SIZE: usize = 80;
const NAME: &[u8] = b"GNU libgomp";
const OURS: &[u8] = concat!(", by way of ora ", env!("CARGO_PKG_VERSION")).as_bytes();
/// libgomp's own versions; those of OpenMP's and OpenACC's routines have other names.
const PREFIX: &[u8] = b"GOMP_";

/// A C string of bounded length.
#[derive(Debug)]
struct Text {
    bytes: [u8; TEXT_SIZE],
    length: usize,
}

impl Text {
    const EMPTY: Self = Self { bytes: [0; TEXT_SIZE], length: 0 };

    /// Appends the part if there is room for it, followed by a zero.
    fn push(&mut self, part: &[u8]) {
        let end = self.length + part.len();
        if end < TEXT_SIZE
            && let Some(place) = self.bytes.get_mut(self.length..end)
        {
            place.iter_mut().zip(part).for_each(|(place, byte)| *place = *byte);
            self.length = end;
        }
    }

    fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

/// The text for the libgomp of the first instance: `GNU libgomp GOMP_5.1, by way of ora 0.1.0`.
pub(super) fn text() -> &'static CStr {
    static TEXT: OnceLock<Text> = OnceLock::new();
    TEXT.get_or_init(compose).as_c_str()
}

fn compose() -> Text {
    let mut text = Text::EMPTY;
    text.push(NAME);
    let owner = RUNTIMES.all.iter().find(|runtime| runtime.is_bound()).map(Runtime::owner);
    any_object(&mut |object| {
        let is_it = is_libgomp(&object) && owner.is_none_or(|owner| owner == object.base());
        if is_it {
            let mut newest = (Numbers::default(), c"");
            object.any_defined_version(&mut |_, name| {
                if let Some(numbers) = numbers(name.to_bytes()).filter(|numbers| *numbers > newest.0) {
                    newest = (numbers, name);
                }
                false
            });
            if !newest.1.is_empty() {
                text.push(b" ");
                text.push(newest.1.to_bytes());
            }
        }
        is_it
    });
    text.push(OURS);
    text
}

/// The numbers of a version, which order it.
type Numbers = [u32; 4];

/// The numbers of one of libgomp's own versions: `GOMP_5.0.1`.
fn numbers(version: &[u8]) -> Option<Numbers> {
    let mut numbers = Numbers::default();
    let parts = version.strip_prefix(PREFIX)?.split(|c| *c == b'.');
    for (place, part) in numbers.iter_mut().zip(parts) {
        *place = std::str::from_utf8(part).ok()?.parse().ok()?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers_and_others_are_none() {
        assert_eq!(numbers(b"GOMP_5.0.1"), Some([5, 0, 1, 0]));
        assert!(numbers(b"GOMP_4.0.1") > numbers(b"GOMP_4.0") && numbers(b"GOMP_10.0") > numbers(b"GOMP_5.1"));
        for other in [&b"GOMP_PLUGIN_1.3"[..], b"OMP_5.1", b"GOACC_2.0", b"libgomp.so.1", b"GOMP_"] {
            assert_eq!(numbers(other), None);
        }
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        let mut text = Text::EMPTY;
        text.push(NAME);
        text.push(&[b'x'; TEXT_SIZE]);
        text.push(OURS);
        assert_eq!(text.as_c_str().to_bytes(), [NAME, OURS].concat());
    }
}
