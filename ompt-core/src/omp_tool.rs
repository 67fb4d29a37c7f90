//! `OMP_TOOL`: enables or disables the search for OMPT tools (TR2, 6.2; OpenMP 5.0, 6.18).

use std::ffi::CStr;
use system::environment;
use system::warning::Warning;

/// True if tools may be looked for. A value that is neither `enabled` nor `disabled` is reported on stderr once, and
/// ignored.
pub(crate) fn enabled() -> bool {
    static ODD: Warning = Warning::new();
    let Some(value) = environment::value(c"OMP_TOOL").map(CStr::to_bytes) else { return true };
    meaning(value).unwrap_or_else(|| {
        ODD.say(&[b"ora: OMP_TOOL=", value, b" is ignored: it can be enabled or disabled\n"]);
        true
    })
}

/// The meaning of a value; `None` if it is invalid. As for all of OpenMP's variables, case and surrounding blanks are
/// ignored.
fn meaning(value: &[u8]) -> Option<bool> {
    let word = value.trim_ascii();
    if word.is_empty() || word.eq_ignore_ascii_case(b"enabled") {
        Some(true)
    } else {
        word.eq_ignore_ascii_case(b"disabled").then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_words_and_nothing_at_all_have_a_meaning() {
        for enabled in [&b"enabled"[..], b"", b" ", b"Enabled", b"\tENABLED "] {
            assert_eq!(meaning(enabled), Some(true));
        }
        for disabled in [&b"disabled"[..], b" disabled", b"DISABLED"] {
            assert_eq!(meaning(disabled), Some(false));
        }
        for none in [&b"enable"[..], b"1", b"disabled,", b"enabled disabled"] {
            assert_eq!(meaning(none), None);
        }
    }
}
