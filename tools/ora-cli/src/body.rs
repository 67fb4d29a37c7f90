//! The body of a task, from the call that creates it.
//!
//! gcc makes a function of each body and passes its address to `GOMP_task` and `GOMP_taskloop` as the first argument. The
//! lines that it gives to the calls are often those of their neighbours; a body's own lines are right. So the instruction
//! that loads the address is looked for in front of the call.

/// As far in front of the call, and no further than the call before it.
const REACH: usize = 128;

/// A file's loaded segments.
#[derive(Debug)]
pub(crate) struct Code<'a> {
    pub(crate) bytes: &'a [u8],
    /// The range in the file, and the address.
    pub(crate) segments: &'a [(u64, u64, u64)],
}

impl Code<'_> {
    /// The address of a place in the file.
    pub(crate) fn address(&self, in_file: u64) -> Option<u64> {
        let within = |(offset, size, _): &&(u64, u64, u64)| (*offset..offset + size).contains(&in_file);
        self.segments.iter().find(within).map(|(offset, _, address)| in_file - offset + address)
    }

    fn is_loaded(&self, address: u64) -> bool {
        self.segments.iter().any(|(_, size, start)| (*start..start + size).contains(&address))
    }

    /// What the call that ends here gets as its first argument, if the instruction is there and it is an address.
    pub(crate) fn first_argument(&self, returns_to: u64) -> Option<u64> {
        let end = usize::try_from(returns_to).ok()?;
        // The shortest call has five bytes.
        (1..REACH)
            .map_while(|back| {
                let at = end.checked_sub(5 + back)?;
                let behind = |length: usize, displacement: [u8; 4]| {
                    let next = self.address((at + length) as u64)?;
                    let target = next.wrapping_add_signed(i64::from(i32::from_le_bytes(displacement)));
                    self.is_loaded(target).then_some(target)
                };
                match *self.bytes.get(at..at + 7)? {
                    // lea displacement(%rip), %rdi (Intel's manual: REX.W 8D /r)
                    [0x48, 0x8d, 0x3d, a, b, c, d] => Some(behind(7, [a, b, c, d])),
                    // mov $address, %edi, in programs at fixed addresses (B8+ rd)
                    [0xbf, a, b, c, d, ..] => {
                        let address = u64::from(u32::from_le_bytes([a, b, c, d]));
                        Some(self.is_loaded(address).then_some(address))
                    }
                    // Another call: what comes before it is that one's.
                    [0xe8, a, b, c, d, ..] if behind(5, [a, b, c, d]).is_some() => None,
                    [0xff, 0x15, a, b, c, d, _] if behind(6, [a, b, c, d]).is_some() => None,
                    _ => Some(None),
                }
            })
            .flatten()
            .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(code: &[u8], returns_to: u64) -> Option<u64> {
        let mut bytes = vec![0x90; 0x100];
        bytes[0x40..0x40 + code.len()].copy_from_slice(code);
        Code { bytes: &bytes, segments: &[(0, 0x100, 0x40_1000)] }.first_argument(returns_to)
    }

    #[test]
    fn the_nearest_load_of_the_first_argument_counts() {
        // lea 0x10(%rip), %rdi; lea 0x20(%rip), %rdi; call +0x10
        let lea = [0x48, 0x8d, 0x3d, 0x10, 0, 0, 0, 0x48, 0x8d, 0x3d, 0x20, 0, 0, 0, 0xe8, 0x10, 0, 0, 0];
        assert_eq!(argument(&lea, 0x53), Some(0x40_1000 + 0x4e + 0x20));
        // mov $0x4010c0, %edi; call +0
        assert_eq!(argument(&[0xbf, 0xc0, 0x10, 0x40, 0, 0xe8, 0, 0, 0, 0], 0x4a), Some(0x40_10c0));
        // A number, no address.
        assert_eq!(argument(&[0xbf, 0xc0, 0x10, 0, 0, 0xe8, 0, 0, 0, 0], 0x4a), None);
    }

    #[test]
    fn the_argument_of_an_earlier_call_does_not_count() {
        let two = [0x48, 0x8d, 0x3d, 0x10, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0x90, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument(&two, 0x52), None);
        assert_eq!(argument(&two, 0x4c), Some(0x40_1000 + 0x47 + 0x10));
        assert_eq!(argument(&[], 3), None);
    }
}
