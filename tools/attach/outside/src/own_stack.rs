//! Space on a stopped thread's own stack, below the part that is in use, where the kernel would put a signal handler's frame.

use crate::arch::RED_ZONE;
use crate::mapped::Mapped;

/// Distance below its mapping by which the first thread's stack may grow with one access.
const GROWTH: u64 = 64 << 10;
/// Frames are at multiples of this.
const ALIGNMENT: u64 = 64;
/// Bytes before a frame, for a return address.
const IN_FRONT: u64 = 16;

/// The stack with which a thread was created: memory of a mapping, from its start up to the thread's own data.
///
/// Other stacks are not used: that of a coroutine may be small and have a neighbour, and that of a signal handler may be full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnStack {
    /// Lowest address that may be used.
    start: u64,
    /// Stack pointer.
    pointer: u64,
}

impl OwnStack {
    /// The stack of a thread with this stack pointer, if the thread runs on it. `list`: address of the thread's list of robust
    /// mutexes, which glibc stores in the thread's descriptor, above the stack (get_robust_list(2)).
    pub(crate) fn of(mappings: &[Mapped], pointer: u64, list: Option<u64>) -> Option<Self> {
        let at = mappings.partition_point(|it| it.end <= pointer);
        let mapping = mappings.get(at).filter(|it| it.start <= pointer)?;
        if mapping.path.as_os_str() == "[stack]" {
            return Some(Self { start: mapping.start.saturating_sub(GROWTH), pointer });
        }
        let is_own = list.is_some_and(|list| (pointer..mapping.end).contains(&list));
        (is_own && mapping.inode == 0).then_some(Self { start: mapping.start, pointer })
    }

    /// An address with space for `bytes` bytes, at a multiple of 64, preceded by space for a return address. `None`
    /// if the stack is too full.
    pub(crate) fn place(self, bytes: usize) -> Option<u64> {
        let end = self.pointer.checked_sub(RED_ZONE)?;
        let place = end.checked_sub(bytes as u64)? & !(ALIGNMENT - 1);
        (place.checked_sub(IN_FRONT)? >= self.start).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mappings() -> Vec<Mapped> {
        let lines = "1000-9000 rw-p 00000000 00:00 0 \n20000-90000 rw-p 00000000 00:00 0 [heap]\n\
                     700000-800000 rw-p 00000000 00:00 0 [stack]";
        lines.lines().filter_map(|line| Mapped::of(line.as_bytes())).collect()
    }

    #[test]
    fn a_thread_on_the_stack_that_it_was_created_with_has_room_below() {
        let own = OwnStack::of(&mappings(), 0x8000, Some(0x8f00)).unwrap();
        let place = own.place(100).unwrap();
        assert!(place.is_multiple_of(64) && place + 100 + RED_ZONE <= 0x8000, "{place:#x}");
        assert_eq!(own.place(0x7000), None);
        assert!(OwnStack::of(&mappings(), 0x70_0010, None).unwrap().place(0x4000).is_some());
    }

    #[test]
    fn a_stack_within_other_memory_is_not_used() {
        // Stack of a coroutine: the thread's descriptor is elsewhere, or below.
        assert_eq!(OwnStack::of(&mappings(), 0x3_0000, Some(0x8f00)), None);
        assert_eq!(OwnStack::of(&mappings(), 0x3_0000, Some(0x2_f000)), None);
        assert_eq!(OwnStack::of(&mappings(), 0x3_0000, None), None);
        assert_eq!(OwnStack::of(&mappings(), 0x10, Some(0x20)), None);
    }
}
