//! The frame from which rt_sigreturn(2) restores a thread, in the kernel's layout (linux/arch/x86/include/uapi/asm: ucontext.h,
//! sigcontext.h).
#![allow(unsafe_code)] // CPUID, in the oldest Rust that compiles this

/// `FP_XSTATE_MAGIC1` and `FP_XSTATE_MAGIC2`.
const FIRST_MARK: u32 = 0x4650_5853;
const LAST_MARK: u32 = 0x4650_5845;
/// Offset in an extended state of the words for software, the first of which ptrace(2) uses for the mask of
/// components.
const WORDS: usize = 464;
/// `UC_FP_XSTATE | UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS`
const FLAGS: u64 = 7;
/// Offset of the extended state.
const STATE: usize = 320;

/// The frame at `at`: the general registers in the order of `struct sigcontext`, segment selectors, and the extended state as read by
/// ptrace(2). The alternate signal stack is not changed: the kernel refuses one without a size.
pub(super) fn of(at: u64, blocked: u64, general: [u64; 18], selectors: u64, extended: &[u8]) -> Vec<u8> {
    let words = [FLAGS, 0, 0, 0, 0].into_iter().chain(general).chain([selectors, 0, 0, 0, 0, at + STATE as u64]);
    let words = words.chain([0; 8]).chain([blocked]);
    let mut frame: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    frame.resize(STATE, 0);
    let mut state = without_unused_tiles(extended, tiles_offset());
    let size = u32::try_from(state.len()).unwrap_or_default().to_le_bytes();
    let larger = u32::try_from(state.len() + 4).unwrap_or_default().to_le_bytes();
    let features: Vec<u8> = state.get(WORDS..WORDS + 8).unwrap_or_default().to_vec();
    let software = [&FIRST_MARK.to_le_bytes()[..], &larger, &features, &size].concat();
    if let Some(place) = state.get_mut(WORDS..WORDS + software.len()) {
        place.copy_from_slice(&software);
    }
    frame.extend(state);
    frame.extend(LAST_MARK.to_le_bytes());
    frame
}

/// Number of the state component of AMX's tiles (Intel SDM, volume 1, 13.1), and the offset of the set of components
/// that a state has.
const TILES: u32 = 18;
const COMPONENTS: usize = 512;

/// Offset of AMX's tiles in an extended state; 0 if the processor does not have them (Intel SDM, volume 2, CPUID,
/// leaf 0DH).
fn tiles_offset() -> usize {
    #[allow(unused_unsafe, reason = "the function is unsafe in the oldest Rust that compiles this")]
    // SAFETY: each 64-bit processor has the instruction (Intel SDM, volume 2, CPUID).
    let answer = unsafe { std::arch::x86_64::__cpuid_count(13, TILES) };
    answer.ebx as usize
}

/// A state without AMX's tiles, if the thread hasn't used them. ptrace(2) shows space for them, but the kernel refuses to restore a
/// state that is larger than what the thread has requested (arch_prctl(2), `ARCH_REQ_XCOMP_PERM`), and restores only the oldest part.
fn without_unused_tiles(state: &[u8], offset: usize) -> Vec<u8> {
    let components = state.get(COMPONENTS..).and_then(|rest| rest.first_chunk()).map(|word| u64::from_le_bytes(*word));
    let are_used = components.is_none_or(|components| components & 1 << TILES != 0);
    let mut state = state.to_vec();
    if offset == 0 || are_used || offset > state.len() {
        return state;
    }
    state.truncate(offset);
    // The mask of the components that the frame has: the first of the words for software.
    if let Some(byte) = state.get_mut(WORDS + TILES as usize / 8) {
        *byte &= !(1 << (TILES % 8));
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_that_were_not_used_are_not_in_the_frame() {
        let mut state = vec![0xff; 11_008];
        state[COMPONENTS..COMPONENTS + 8].copy_from_slice(&7_u64.to_le_bytes());
        let without = without_unused_tiles(&state, 2816);
        assert_eq!((without.len(), without[WORDS..WORDS + 4].to_vec()), (2816, vec![0xff, 0xff, 0xfb, 0xff]));
        assert_eq!(without_unused_tiles(&state, 0), state);
        state[COMPONENTS + 2] |= 1 << 2;
        assert_eq!(without_unused_tiles(&state, 2816), state);
    }
}
