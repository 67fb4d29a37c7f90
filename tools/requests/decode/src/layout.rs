//! Layouts of a pointer that follows an `int`: immediately (packed), or at a multiple of 8 (padded).
//!
//! The library checks which of the two places contains the address of code. From outside the process only impossible
//! addresses can be excluded, which nearly always decides the layout.

use serde::Serialize;
use system::arch::USUAL_END;

use super::walk::long;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Layout {
    Packed,
    Padded,
}

impl Layout {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Packed => "packed",
            Self::Padded => "padded",
        }
    }
}

/// Callback address in REGISTER's `mem`, and its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Callback {
    /// 0 for NULL, `None` if neither place can contain the address of code.
    pub(super) address: Option<u64>,
    pub(super) layout: Option<Layout>,
    /// Reason why the layout is known, or isn't.
    pub(super) known: &'static str,
    /// True if the entry determines the session's layout, unless an earlier one has done so.
    pub(super) proof: bool,
}

/// Examines the `mem` of a REGISTER; `None` if it has less than 12 bytes.
pub(super) fn callback(mem: &[u8], session: Option<Layout>) -> Option<Callback> {
    use Layout::{Packed, Padded};
    let packed = long(mem, 4)?;
    let Some(padded) = long(mem, 8) else {
        let address = (packed == 0 || possible(packed)).then_some(packed);
        let known = "mem has no room for padding";
        return Some(Callback { address, layout: Some(Packed), known, proof: true });
    };
    let found = |address, layout, known, proof| Some(Callback { address, layout, known, proof });
    if packed == 0 && padded == 0 {
        return found(Some(0), None, "NULL in both places, so it does not matter", false);
    }
    match (possible(packed), possible(padded), session) {
        (true, false, _) => found(Some(packed), Some(Packed), "only mem+4 can be an address", true),
        (false, true, _) => found(Some(padded), Some(Padded), "only mem+8 can be an address", true),
        (true, true, Some(Packed)) => {
            found(Some(packed), Some(Packed), "both places can be an address; the session is packed", false)
        }
        (true, true, Some(Padded)) => {
            found(Some(padded), Some(Padded), "both places can be an address; the session is padded", false)
        }
        (true, true, None) => {
            let known = "both places can be an address; if both are code, padded wins in a session that is not packed";
            found(Some(padded), Some(Padded), known, false)
        }
        (false, false, _) => found(None, None, "neither mem+4 nor mem+8 can be an address", false),
    }
}

/// True if a word can be the address of code in a program: not too high for this machine, and not among the lowest 64
/// KiB, which are never mapped. The halves of an address, padded with zeros, are not addresses.
fn possible(word: u64) -> bool {
    (0x1_0000..USUAL_END).contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Layout::{Packed, Padded};

    const CODE: u64 = 0x7f12_3456_7890;

    fn mem(parts: &[&[u8]]) -> Vec<u8> {
        [&1i32.to_ne_bytes()[..], &parts.concat()].concat()
    }

    fn read(parts: &[&[u8]], session: Option<Layout>) -> Option<(Option<u64>, Option<Layout>, bool)> {
        callback(&mem(parts), session).map(|c| (c.address, c.layout, c.proof))
    }

    #[test]
    fn twelve_bytes_are_packed_and_fewer_hold_no_callback() {
        let code = CODE.to_ne_bytes();
        assert_eq!(read(&[&code], Some(Padded)), Some((Some(CODE), Some(Packed), true)));
        assert_eq!(read(&[&[0; 8]], None), Some((Some(0), Some(Packed), true)));
        assert_eq!(read(&[&8u64.to_ne_bytes()], None), Some((None, Some(Packed), true)));
        assert_eq!(read(&[&[0; 7]], None), None);
    }

    #[test]
    fn with_sixteen_bytes_the_content_decides() {
        let code = CODE.to_ne_bytes();
        let low = 0x5555_5555_0000u64.to_ne_bytes();
        for address in [code, low] {
            let number = u64::from_ne_bytes(address);
            assert_eq!(read(&[&address, &[0; 4]], None), Some((Some(number), Some(Packed), true)));
            assert_eq!(read(&[&[0; 4], &address], None), Some((Some(number), Some(Padded), true)));
            assert_eq!(read(&[&[0xcc; 4], &address], None).unwrap().1, Some(Padded));
        }
        assert_eq!(read(&[&[0; 12]], Some(Packed)), Some((Some(0), None, false)));
        assert_eq!(read(&[&[0xff; 12]], None), Some((None, None, false)));
    }

    #[test]
    fn where_both_can_be_the_sessions_layout_decides_and_then_padded() {
        // As words: 0x2000_0000, 0x1000, 0x1000. Both places contain a possible address.
        let both = [0x2000_0000u32, 0x1000, 0x1000].map(u32::to_ne_bytes).concat();
        assert_eq!(read(&[&both], None).unwrap().1, Some(Padded));
        assert_eq!(read(&[&both], Some(Padded)).unwrap().1, Some(Padded));
        assert_eq!(read(&[&both], Some(Packed)), Some((Some(0x1000_2000_0000), Some(Packed), false)));
    }
}
