//! The body of a task or a parallel region, from the call that creates it.
//!
//! gcc makes a function of each body and passes its address to `GOMP_task`, `GOMP_taskloop` and `GOMP_parallel` as the first
//! argument; clang passes it to `__kmpc_fork_call` as the third. The lines that gcc gives to the calls are often those of their
//! neighbours; a body's own lines are right. So the instruction that loads the address is looked for in front of the call.

/// Reach of the search in front of the call, which ends at the call before it.
const REACH: usize = 128;
/// Reach of the search for a load into a callee-saved register: several calls may share one load, which is further
/// away.
const SAVED_REACH: usize = 4096;

/// A register that has an argument (System V ABI, x86-64), by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    First = 7,
    Third = 2,
}

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

    /// The addresses that the call that ends here may get as this argument, the likeliest first.
    pub(crate) fn argument(&self, returns_to: u64, which: Argument) -> Vec<u64> {
        let Ok(end) = usize::try_from(returns_to) else { return Vec::new() };
        let to = which as u8;
        // The shortest call has five bytes.
        for back in 1..REACH {
            let Some(at) = end.checked_sub(5 + back) else { break };
            let Some(&code) = self.bytes.get(at..).and_then(|code| code.first_chunk::<7>()) else { break };
            if let Some(loaded) = self.load(at, code, to) {
                return vec![loaded];
            }
            match code {
                // mov %saved, %argument (REX.W 89 /r)
                [rex @ (0x48 | 0x4c), 0x89, operands, ..] if operands & 0xc7 == 0xc0 | to => {
                    let from = (operands >> 3 & 7) | (rex & 4) << 1;
                    // Registers that keep their values across calls.
                    if matches!(from, 3 | 5 | 12..=15) {
                        return self.loads(at, from);
                    }
                }
                // Another call: what comes before it is that one's.
                [0xe8, a, b, c, d, ..] if self.behind(at + 5, [a, b, c, d]).is_some() => break,
                [0xff, 0x15, a, b, c, d, _] if self.behind(at + 6, [a, b, c, d]).is_some() => break,
                _ => {}
            }
        }
        Vec::new()
    }

    /// Addresses that instructions in front of this place load into a register, the nearest first.
    fn loads(&self, end: usize, register: u8) -> Vec<u64> {
        let places = (end.saturating_sub(SAVED_REACH)..end).rev();
        let code = |at: usize| Some(*self.bytes.get(at..)?.first_chunk::<7>()?);
        places.filter_map(|at| self.load(at, code(at)?, register)).collect()
    }

    /// The address that this instruction loads into a register.
    fn load(&self, at: usize, code: [u8; 7], register: u8) -> Option<u64> {
        let (low, high) = (register & 7, register >> 3);
        match code {
            // lea displacement(%rip), %register (Intel's manual: REX.W 8D /r)
            [rex, 0x8d, operands, a, b, c, d] if rex == 0x48 | high << 2 && operands == low << 3 | 5 => {
                self.behind(at + 7, [a, b, c, d])
            }
            // mov $address, %register, in programs at fixed addresses (B8+ rd)
            [opcode, a, b, c, d, ..] if high == 0 && opcode == 0xb8 | low => self.fixed([a, b, c, d]),
            [0x41, opcode, a, b, c, d, _] if high == 1 && opcode == 0xb8 | low => self.fixed([a, b, c, d]),
            _ => None,
        }
    }

    fn fixed(&self, address: [u8; 4]) -> Option<u64> {
        let address = u64::from(u32::from_le_bytes(address));
        self.is_loaded(address).then_some(address)
    }

    /// Target of a `%rip`-relative operand: `displacement` past the instruction that ends at `next`. `None` outside of
    /// loaded segments.
    fn behind(&self, next: usize, displacement: [u8; 4]) -> Option<u64> {
        let target = self.address(next as u64)?.wrapping_add_signed(i64::from(i32::from_le_bytes(displacement)));
        self.is_loaded(target).then_some(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(code: &[u8], returns_to: u64, which: Argument) -> Vec<u64> {
        let mut bytes = vec![0x90; 0x100];
        bytes[0x40..0x40 + code.len()].copy_from_slice(code);
        Code { bytes: &bytes, segments: &[(0, 0x100, 0x40_1000)] }.argument(returns_to, which)
    }

    fn argument(code: &[u8], returns_to: u64) -> Option<u64> {
        arguments(code, returns_to, Argument::First).first().copied()
    }

    #[test]
    fn an_address_that_several_calls_take_from_a_register_is_found_where_it_is_loaded() {
        // lea 0x10(%rip), %rbp; call; mov %rbp, %rdi; call
        let saved = [0x48, 0x8d, 0x2d, 0x10, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0x48, 0x89, 0xef, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument(&saved, 0x54), Some(0x40_1000 + 0x47 + 0x10));
        // lea 0x10(%rip), %r14; mov %r14, %rdx; call
        let third = [0x4c, 0x8d, 0x35, 0x10, 0, 0, 0, 0x4c, 0x89, 0xf2, 0xe8, 0, 0, 0, 0];
        assert_eq!(arguments(&third, 0x4f, Argument::Third), [0x40_1000 + 0x47 + 0x10]);
        assert_eq!(argument(&third, 0x4f), None);
        // mov $0x4010c0, %r12d; mov %r12, %rdi; call
        let fixed = [0x41, 0xbc, 0xc0, 0x10, 0x40, 0, 0x90, 0x4c, 0x89, 0xe7, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument(&fixed, 0x4f), Some(0x40_10c0));
        // mov %rax, %rdi: what a call has returned.
        let returned = [0x48, 0x8d, 0x05, 0x10, 0, 0, 0, 0x48, 0x89, 0xc7, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument(&returned, 0x4f), None);
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
