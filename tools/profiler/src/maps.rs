//! Lines of `/proc/self/maps` (proc(5)).

/// A piece of the address space that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mapping<'a> {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) offset: u64,
    pub(crate) inode: u64,
    pub(crate) path: &'a [u8],
    pub(crate) is_code: bool,
}

impl<'a> Mapping<'a> {
    /// The path that its file had, if the file was deleted.
    pub(crate) fn deleted(&self) -> Option<&'a [u8]> {
        self.path.strip_suffix(b" (deleted)")
    }
}

/// The mapping of a line, if it has a name.
pub(crate) fn named(line: &[u8]) -> Option<Mapping<'_>> {
    let mut words = line.splitn(6, |byte| *byte == b' ');
    let range = words.next()?;
    let is_code = words.next()?.get(2) == Some(&b'x');
    let (offset, _device, inode) = (words.next()?, words.next()?, words.next()?);
    let path = words.next()?.trim_ascii_start();
    let dash = range.iter().position(|byte| *byte == b'-')?;
    let (start, end) = (hexadecimal(range.get(..dash)?)?, hexadecimal(range.get(dash + 1..)?)?);
    let named = path.starts_with(b"/") || path == b"[vdso]";
    let inode = str::from_utf8(inode).ok()?.parse().ok()?;
    named.then_some(Mapping { start, end, offset: hexadecimal(offset)?, inode, path, is_code })
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    u64::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

/// Cuts what `read` delivers into lines. A line too long for the buffer is left out.
pub(crate) fn each_line(buffer: &mut [u8], mut read: impl FnMut(&mut [u8]) -> usize, mut line: impl FnMut(&[u8])) {
    let (mut held, mut skipping) = (0, false);
    loop {
        let got = buffer.get_mut(held..).map_or(0, &mut read);
        let filled = held + got;
        let mut begin = 0;
        while let Some(rest) = buffer.get(begin..filled)
            && let Some(length) = rest.iter().position(|byte| *byte == b'\n')
        {
            if !std::mem::take(&mut skipping) {
                line(rest.get(..length).unwrap_or_default());
            }
            begin += length + 1;
        }
        held = filled - begin;
        // Not `copy_within`, which can panic.
        for at in 0..held {
            let byte = buffer.get(begin + at).copied().unwrap_or(0);
            if let Some(place) = buffer.get_mut(at) {
                *place = byte;
            }
        }
        if held == buffer.len() {
            (held, skipping) = (0, true);
        }
        if got == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_name_is_found_and_all_else_is_not() {
        let line = b"7f1000-7f2000 r-xp 00026000 fe:01 1234                       /usr/lib/a b.so";
        let found = Mapping {
            start: 0x7f_1000,
            end: 0x7f_2000,
            offset: 0x2_6000,
            inode: 1234,
            path: b"/usr/lib/a b.so",
            is_code: true,
        };
        assert_eq!(named(line), Some(found));
        assert_eq!(named(b"1000-2000 r-xp 00000000 00:00 0                  [vdso]").unwrap().path, b"[vdso]");
        let gone = named(b"1000-2000 r--p 00000000 fe:01 12   /usr/lib/a.so (deleted)").unwrap();
        assert_eq!((gone.is_code, gone.deleted()), (false, Some(&b"/usr/lib/a.so"[..])));
        for other in [
            &b"1000-2000 r-xp 00000000 00:00 0 "[..],
            b"1000-2000 --xp 00000000 00:00 0                          [vsyscall]",
            b"",
        ] {
            assert_eq!(named(other), None);
        }
    }

    #[test]
    fn lines_are_whole_however_they_arrive_and_too_long_ones_are_left_out() {
        let text = format!("one\n\ntwo\n{}\nlast\n", "x".repeat(50));
        for step in [1, 3, 64] {
            let (mut at, mut lines) = (0, Vec::new());
            let read = |room: &mut [u8]| {
                let n = step.min(room.len()).min(text.len() - at);
                room[..n].copy_from_slice(&text.as_bytes()[at..at + n]);
                at += n;
                n
            };
            each_line(&mut [0; 20], read, |line| lines.push(String::from_utf8(line.to_vec()).unwrap()));
            assert_eq!(lines, ["one", "", "two", "last"], "{step}");
        }
    }
}
