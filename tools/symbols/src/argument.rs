//! The body of a task or a parallel region, from the call that creates it.
//!
//! gcc outlines each body into a function and passes its address to `GOMP_task`, `GOMP_taskloop` and `GOMP_parallel` as the
//! first argument; clang passes it to `__kmpc_fork_call` as the third. The lines that gcc assigns to the calls are often those
//! of their neighbours; a body's own lines are right. So the instruction that loads the address is searched for before the
//! call.

use system::arch::Target;
use system::arch::instructions::{Call, MachineCode, Processor};

/// Reach of the search before the call, which ends at the previous call.
const REACH: u64 = 128;
/// Length of the longest instruction that loads an address.
const LONGEST_LOAD: u64 = 8;
/// Length of the longest call.
const LONGEST_CALL: u64 = 6;
/// Reach of the search for a load into a callee-saved register: several calls may share one load, which is further
/// away.
const SAVED_REACH: u64 = 4096;

/// An argument; the first is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    First = 0,
    Third = 2,
}

/// An address in an argument's register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loaded {
    pub(super) address: u64,
    /// Address of the instruction that loads it.
    pub(super) at: u64,
}

/// A file's loaded segments.
#[derive(Debug)]
pub(super) struct Code<'a> {
    /// `None` without a decoder for the file's code.
    pub(super) processor: Option<Processor>,
    pub(super) bytes: &'a [u8],
    /// The range in the file, and the address.
    pub(super) segments: &'a [(u64, u64, u64)],
    /// True if the file isn't relocated, so that instructions may contain absolute addresses.
    pub(super) is_fixed: bool,
}

impl<'a> Code<'a> {
    /// The address of an offset in the file.
    pub(super) fn address(&self, in_file: u64) -> Option<u64> {
        let (offset, _, address) = self.segment(in_file)?;
        Some(in_file - offset + address)
    }

    /// The place in the file of an address.
    pub(super) fn in_file(&self, address: u64) -> Option<u64> {
        let within = |(_, size, start): &&(u64, u64, u64)| address.checked_sub(*start).is_some_and(|at| at < *size);
        let (offset, _, start) = self.segments.iter().find(within)?;
        (address - start).checked_add(*offset)
    }

    fn segment(&self, in_file: u64) -> Option<&(u64, u64, u64)> {
        self.segments.iter().find(|(offset, size, _)| (*offset..offset + size).contains(&in_file))
    }

    fn is_loaded(&self, address: u64) -> bool {
        self.segments.iter().any(|(_, size, start)| (*start..start + size).contains(&address))
    }

    /// The address that the call, or the jump, at `call` gets as this argument, in the function that begins at `begin`.
    pub(super) fn argument(&self, call: u64, begin: u64, which: Argument) -> Option<Loaded> {
        let processor = self.processor?;
        let to = processor.argument(which as usize)?;
        let code = self.instructions(call)?;
        // Without 32-bit copies, which the last bytes of other instructions look like.
        let copies = MachineCode { is_fixed: false, ..code };
        let within = |address, reach| before(processor, address, reach).take_while(move |at| *at >= begin);
        for at in within(call, REACH) {
            if let Some(loaded) = self.load(&code, at, to) {
                return Some(loaded);
            }
            if let Some(copy) = copies.moved(at).filter(|copy| copy.to == to) {
                if processor.is_preserved(copy.from) {
                    return within(at, SAVED_REACH).find_map(|at| self.load(&code, at, copy.from));
                }
                // gcc without optimization loads each argument into the same register, and copies it immediately.
                let load = |start| self.load_before(&code, start, at, copy.from);
                if let Some(loaded) = within(at, LONGEST_LOAD).find_map(load) {
                    return Some(loaded);
                }
            }
            // Another call: what comes before it belongs to that.
            if code.call(at).is_some_and(|call| call.returns.is_some() && self.is_known(call.target)) {
                break;
            }
        }
        None
    }

    /// The latest address at which a call that returns to an address can begin.
    pub(super) fn call_at(&self, returns_to: u64) -> Option<u64> {
        returns_to.checked_sub(self.processor?.smallest_call() as u64)
    }

    /// The call that returns to an address. `None` for a call through a register.
    pub(super) fn call_before(&self, returns_to: u64) -> Option<Call> {
        let code = self.instructions(returns_to.checked_sub(1)?)?;
        let is_it = |call: &Call| call.returns == Some(returns_to) && self.is_known(call.target);
        before(code.processor, returns_to, LONGEST_CALL).find_map(|at| code.call(at).filter(is_it))
    }

    /// The address that the instruction at `at` loads into a register.
    fn load(&self, code: &MachineCode<'_>, at: u64, register: u8) -> Option<Loaded> {
        let taken = code.taken(at).filter(|taken| taken.register == register)?;
        self.is_loaded(taken.address).then_some(Loaded { address: taken.address, at })
    }

    /// [`load`](Self::load), if the instruction ends at `next`.
    fn load_before(&self, code: &MachineCode<'_>, at: u64, next: u64, register: u8) -> Option<Loaded> {
        code.taken(at).filter(|taken| taken.next == next).and_then(|_| self.load(code, at, register))
    }

    fn is_known(&self, target: Target) -> bool {
        let (Target::Code(address) | Target::Slot(address)) = target;
        self.is_loaded(address as u64)
    }

    /// The loaded segment that contains an address.
    pub(super) fn instructions(&self, address: u64) -> Option<MachineCode<'a>> {
        let within = |(_, size, start): &&(u64, u64, u64)| address.checked_sub(*start).is_some_and(|at| at < *size);
        let (offset, size, begin) = *self.segments.iter().find(within)?;
        let range = usize::try_from(offset).ok()?..usize::try_from(offset.checked_add(size)?).ok()?;
        let (processor, bytes) = (self.processor?, self.bytes.get(range)?);
        Some(MachineCode { processor, bytes, begin, is_fixed: self.is_fixed })
    }
}

/// Positions before an address at which instructions may start, the nearest first.
fn before(processor: Processor, address: u64, reach: u64) -> impl Iterator<Item = u64> {
    let step = processor.step() as u64;
    (1..=reach / step).map_while(move |back| address.checked_sub(back * step))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The argument of the call that ends before 0x401000 + `returns_to`, in a function that begins at `begin` from there.
    fn argument_within(code: &[u8], begin: u64, returns_to: u64, which: Argument) -> Option<u64> {
        let mut bytes = vec![0x90; 0x100];
        bytes[0x40..0x40 + code.len()].copy_from_slice(code);
        let code = Code {
            processor: Some(Processor::X86_64),
            bytes: &bytes,
            segments: &[(0, 0x100, 0x40_1000)],
            is_fixed: true,
        };
        code.argument(0x40_1000 + returns_to - 5, 0x40_1000 + begin, which).map(|loaded| loaded.address)
    }

    fn argument(code: &[u8], returns_to: u64) -> Option<u64> {
        argument_within(code, 0, returns_to, Argument::First)
    }

    #[test]
    fn an_address_that_several_calls_take_from_a_register_is_found_where_it_is_loaded() {
        // lea 0x10(%rip), %rbp; call; mov %rbp, %rdi; call
        let saved = [0x48, 0x8d, 0x2d, 0x10, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0x48, 0x89, 0xef, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument(&saved, 0x54), Some(0x40_1000 + 0x47 + 0x10));
        // lea 0x10(%rip), %r14; mov %r14, %rdx; call
        let third = [0x4c, 0x8d, 0x35, 0x10, 0, 0, 0, 0x4c, 0x89, 0xf2, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument_within(&third, 0, 0x4f, Argument::Third), Some(0x40_1000 + 0x47 + 0x10));
        assert_eq!(argument(&third, 0x4f), None);
        // mov $0x4010c0, %r12d; mov %r12, %rdi; call
        let fixed = [0x41, 0xbc, 0xc0, 0x10, 0x40, 0, 0x90, 0x4c, 0x89, 0xe7, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument(&fixed, 0x4f), Some(0x40_10c0));
    }

    #[test]
    fn an_address_that_is_copied_from_where_it_was_just_loaded_is_found() {
        // By gcc 12 -O0: lea 0x10(%rip), %rax; mov %rax, %rdi; call
        let copied = [0x48, 0x8d, 0x05, 0x10, 0, 0, 0, 0x48, 0x89, 0xc7, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument(&copied, 0x4f), Some(0x40_1000 + 0x47 + 0x10));
        // lea 0x10(%rip), %rax; mov %rax, %rsi; mov -8(%rbp), %rax; mov %rax, %rdi; call: a variable.
        let variable = [
            [0x48, 0x8d, 0x05, 0x10, 0, 0, 0, 0x48, 0x89, 0xc6].as_slice(),
            &[0x48, 0x8b, 0x45, 0xf8, 0x48, 0x89, 0xc7, 0xe8, 0, 0, 0, 0],
        ];
        assert_eq!(argument(&variable.concat(), 0x56), None);
        // lea 0x10(%rip), %rax; call; mov %rax, %rdi; call: the result of a call.
        let returned = [0x48, 0x8d, 0x05, 0x10, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0x48, 0x89, 0xc7, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument(&returned, 0x54), None);
    }

    #[test]
    fn the_nearest_load_of_the_first_argument_counts() {
        // lea 0x10(%rip), %rdi; lea 0x20(%rip), %rdi; call +0x10
        let lea = [0x48, 0x8d, 0x3d, 0x10, 0, 0, 0, 0x48, 0x8d, 0x3d, 0x20, 0, 0, 0, 0xe8, 0x10, 0, 0, 0];
        assert_eq!(argument(&lea, 0x53), Some(0x40_1000 + 0x4e + 0x20));
        // mov $0x4010c0, %edi; call +0
        assert_eq!(argument(&[0xbf, 0xc0, 0x10, 0x40, 0, 0xe8, 0, 0, 0, 0], 0x4a), Some(0x40_10c0));
        // A number, not an address.
        assert_eq!(argument(&[0xbf, 0xc0, 0x10, 0, 0, 0xe8, 0, 0, 0, 0], 0x4a), None);
    }

    #[test]
    fn only_the_nearest_load_of_a_register_in_the_function_counts() {
        // lea 0x10(%rip), %rbx; lea 0x20(%rip), %rbx; mov %rbx, %rdi; call
        let two = [
            [0x48, 0x8d, 0x1d, 0x10, 0, 0, 0, 0x48, 0x8d, 0x1d, 0x20, 0, 0, 0].as_slice(),
            &[0x48, 0x89, 0xdf, 0xe8, 0, 0, 0, 0],
        ];
        let two = two.concat();
        assert_eq!(argument(&two, 0x56), Some(0x40_1000 + 0x4e + 0x20));
        let within = |begin| argument_within(&two, begin, 0x56, Argument::First);
        assert_eq!([within(0x47), within(0x48)], [Some(0x40_1000 + 0x4e + 0x20), None]);
        // lea 0x10(%rip), %rdi; call
        let direct = [0x48, 0x8d, 0x3d, 0x10, 0, 0, 0, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument_within(&direct, 0x41, 0x4c, Argument::First), None);
    }

    #[test]
    fn the_argument_of_an_earlier_call_does_not_count() {
        let two = [0x48, 0x8d, 0x3d, 0x10, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0x90, 0xe8, 0, 0, 0, 0];
        assert_eq!(argument(&two, 0x52), None);
        assert_eq!(argument(&two, 0x4c), Some(0x40_1000 + 0x47 + 0x10));
        assert_eq!(argument(&[], 5), None);
    }

    #[test]
    fn arguments_in_code_of_aarch64_are_found() {
        // By gcc 16 -O2, from 0xee0 on: adrp x0; add x0, x0, #0xce0; bl; ... adrp x0; add x0, x0, #0xcc0; b
        let words = [
            0x9100_63e1,
            0xb900_1be0,
            0x9000_0000,
            0x9133_8000,
            0x97ff_fec8,
            0xa8c2_7bfd,
            0x5280_0003,
            0x5280_0002_u32,
            // adrp x23; add x23, x23, #0xe20; bl; mov x0, x23; bl
            0x9000_0017,
            0x9138_82f7,
            0x97ff_ffdf,
            0xaa17_03e0,
            0x97ff_ffdf,
        ];
        let mut bytes = vec![0; 0x1000];
        let code = words.iter().flat_map(|word| word.to_le_bytes());
        bytes[0xee0..].iter_mut().zip(code).for_each(|(to, from)| *to = from);
        let code =
            Code { processor: Some(Processor::Aarch64), bytes: &bytes, segments: &[(0, 0x1000, 0)], is_fixed: false };
        assert_eq!(code.argument(0xef0, 0xee0, Argument::First), Some(Loaded { address: 0xce0, at: 0xeec }));
        assert_eq!(code.argument(0xef0, 0xee0, Argument::Third), None);
        assert_eq!(code.argument(0xf10, 0xee0, Argument::First), Some(Loaded { address: 0xe20, at: 0xf04 }));
        // Between this call and the one before, nothing loads an argument.
        assert_eq!(code.argument(0xf08, 0xee0, Argument::First), None);
        assert_eq!(Code { processor: None, ..code }.argument(0xef0, 0xee0, Argument::First), None);
    }
}
