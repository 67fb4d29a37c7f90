//! Loaded ELF images as the dynamic linker lists them. Only this module calls `dl_iterate_phdr`.
#![allow(unsafe_code)] // reads the dynamic linker's list of objects

use crate::elf;
use crate::fork_gate::ForkGate;
use crate::sync::{AtomicUsize, Ordering::Relaxed};
use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;

static GATE: ForkGate = ForkGate::idle();
/// The thread that walks (pthread_self(3)); 0: none. The linker allows one walk at a time.
static WALKER: AtomicUsize = AtomicUsize::new(0);

fn this_thread() -> usize {
    // SAFETY: pthread_self(3) has no preconditions.
    let this = unsafe { libc::pthread_self() };
    #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
    let this = this as usize;
    this
}

/// Waits until no other thread walks, and blocks walks until [`after_fork_in_parent`]. A thread that forks within its own walk doesn't
/// wait.
pub fn before_fork() {
    if WALKER.load(Relaxed) != this_thread() {
        GATE.close();
    }
}

/// Allows walks again, in the process that has forked.
pub fn after_fork_in_parent() {
    GATE.open();
}

/// Allows walks again, in the new process.
pub fn after_fork_in_child() {
    GATE.renew();
}

/// One loaded image: the executable, a library, or the kernel's (vDSO).
#[derive(Clone, Copy, Debug)]
pub struct Image {
    base: usize,
    headers: *const libc::Elf64_Phdr,
    header_count: u16,
    name: *const libc::c_char,
}

/// Calls `show` with every loaded image in loading order, the executable first, until it returns true. Returns true if
/// it did.
///
/// No object is loaded or unloaded meanwhile, and other callers wait: the linker holds a lock, which it never does
/// while constructors run. The number passed with each image is that of objects that have been loaded so far << 32, plus that of
/// objects that have been unloaded.
pub fn any_image(show: &mut dyn FnMut(Image, u64) -> bool) -> bool {
    unsafe extern "C" fn one(info: *mut libc::dl_phdr_info, _: usize, show: *mut c_void) -> c_int {
        // SAFETY: `data` below, which lives until `dl_iterate_phdr` returns; the linker passes it on
        // (dl_iterate_phdr(3)).
        let show = unsafe { &mut *show.cast::<&mut dyn FnMut(Image, u64) -> bool>() };
        // SAFETY: the linker's description of one object, valid during this call (dl_iterate_phdr(3)).
        let info = unsafe { &*info };
        WALKER.store(this_thread(), Relaxed);
        #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
        let image = Image {
            base: info.dlpi_addr as usize,
            headers: info.dlpi_phdr,
            header_count: info.dlpi_phnum,
            name: info.dlpi_name,
        };
        c_int::from(show(image, (info.dlpi_adds << 32).wrapping_add(info.dlpi_subs)))
    }
    let mut show = show;
    let data: *mut &mut dyn FnMut(Image, u64) -> bool = &raw mut show;
    // A nested walk has already passed the gate.
    let is_outermost = WALKER.load(Relaxed) != this_thread();
    if is_outermost {
        GATE.enter();
    }
    // SAFETY: `one` takes the arguments that it gets, and `data` lives until the call returns.
    let found = unsafe { libc::dl_iterate_phdr(Some(one), data.cast()) != 0 };
    if is_outermost {
        // Unless another thread already walks.
        let _ = WALKER.compare_exchange(this_thread(), 0, Relaxed, Relaxed);
        GATE.leave();
    }
    found
}

/// The executable, which the linker lists first and never unloads.
pub fn executable() -> Option<Image> {
    let mut first = None;
    any_image(&mut |image, _| {
        first = Some(image);
        true
    });
    first
}

impl Image {
    /// True for the image that this code is part of.
    pub fn is_own(&self) -> bool {
        self.contains(executable as *const () as usize)
    }

    /// The image's program headers.
    pub fn headers(&self) -> &[libc::Elf64_Phdr] {
        if self.headers.is_null() {
            return &[];
        }
        // SAFETY: `dlpi_phdr` and `dlpi_phnum` (dl_iterate_phdr(3)): the linker's array, which stays while the object
        // is loaded.
        unsafe { std::slice::from_raw_parts(self.headers, self.header_count.into()) }
    }

    /// The image's program headers, as bytes.
    pub fn headers_bytes(&self) -> &[u8] {
        let headers = self.headers();
        // SAFETY: the bytes of the slice above, as many as it has; program headers have no padding (gABI, "Program
        // Header").
        unsafe { std::slice::from_raw_parts(headers.as_ptr().cast(), size_of_val(headers)) }
    }

    /// The linker's name for the image: usually its path; empty for the executable.
    pub fn name(&self) -> &CStr {
        if self.name.is_null() {
            return c"";
        }
        // SAFETY: not null, so `dlpi_name`, a C string that stays while the object is loaded (dl_iterate_phdr(3)).
        unsafe { CStr::from_ptr(self.name) }
    }

    /// The segments of one type: flags and address range of each.
    pub(super) fn segments(&self, kind: u32) -> impl Iterator<Item = (u32, Range<usize>)> {
        let base = self.base;
        #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
        self.headers().iter().filter(move |h| h.p_type == kind).map(move |h| {
            let start = base.wrapping_add(h.p_vaddr as usize);
            (h.p_flags, start..start + h.p_memsz as usize)
        })
    }

    /// True if the address lies in one of the image's loaded segments.
    pub fn contains(&self, address: usize) -> bool {
        self.segments(libc::PT_LOAD).any(|(_, range)| range.contains(&address))
    }

    /// The addresses from the first loaded segment to the end of the last one.
    pub fn extent(&self) -> Range<usize> {
        let segments = self.segments(libc::PT_LOAD).map(|(_, range)| range);
        segments.reduce(|all, one| all.start.min(one.start)..all.end.max(one.end)).unwrap_or(0..0)
    }

    /// True if the address lies in the image's code.
    pub fn has_code(&self, address: usize) -> bool {
        self.segments(libc::PT_LOAD).any(|(flags, range)| flags & libc::PF_X != 0 && range.contains(&address))
    }

    /// The first bytes of the function at this address, at most 64; empty if the image lacks readable code there.
    pub fn code_at(&self, address: usize) -> &[u8] {
        const MAX_STEPS: usize = 64;
        let is_code = |flags| flags & (libc::PF_X | libc::PF_R) == libc::PF_X | libc::PF_R;
        let segment = self.segments(libc::PT_LOAD).find(|(flags, range)| is_code(*flags) && range.contains(&address));
        let Some((_, range)) = segment else { return &[] };
        // SAFETY: within a PT_LOAD segment of a loaded object with PF_R, found above.
        unsafe { std::slice::from_raw_parts(address as *const u8, MAX_STEPS.min(range.end - address)) }
    }

    /// True if the address lies in the image's variables.
    pub fn has_data(&self, address: usize) -> bool {
        let mut segments = self.segments(libc::PT_LOAD);
        segments.any(|(flags, range)| flags & libc::PF_W != 0 && range.contains(&address)) && !self.is_relro(address)
    }

    /// The address range of the segment of code that has this address.
    pub fn code_around(&self, address: usize) -> Option<Range<usize>> {
        let mut code = self.segments(libc::PT_LOAD).filter(|(flags, _)| flags & libc::PF_X != 0);
        code.find_map(|(_, range)| range.contains(&address).then_some(range))
    }

    /// True if the address lies in the part that the linker makes read-only after relocation.
    pub fn is_relro(&self, address: usize) -> bool {
        self.segments(libc::PT_GNU_RELRO).any(|(_, range)| range.contains(&address))
    }

    /// The image's GNU build id, if it has one in memory.
    pub fn build_id(&self) -> Option<&[u8]> {
        let is_there = |range: &Range<usize>| {
            let mut loaded = self.segments(libc::PT_LOAD).filter(|(flags, _)| flags & libc::PF_R != 0);
            loaded.any(|(_, segment)| segment.start <= range.start && range.end <= segment.end)
        };
        self.segments(libc::PT_NOTE).map(|(_, range)| range).filter(is_there).find_map(|range| {
            // SAFETY: within a PT_LOAD segment of a loaded object with PF_R, as checked above.
            elf::build_id(unsafe { std::slice::from_raw_parts(range.start as *const u8, range.len()) })
        })
    }

    /// The address at which the image starts: no two loaded images have the same.
    pub fn base(&self) -> usize {
        self.base
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::AtomicBool;
    use std::thread;

    /// Forks, and walks in the child. Returns the child's status, as from wait(2).
    fn status_of_a_child_that_walks() -> c_int {
        before_fork();
        // SAFETY: fork(2): the child only walks and exits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            after_fork_in_child();
            // SAFETY: alarm(2) has no preconditions; it ends a child that hangs.
            unsafe { libc::alarm(5) };
            any_image(&mut |_, _| false);
            // SAFETY: _exit(2) has no preconditions.
            unsafe { libc::_exit(0) };
        }
        after_fork_in_parent();
        let mut status = -1;
        // SAFETY: waitpid(2) writes one word, which is `status`.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        status
    }

    #[test]
    fn children_can_walk_whatever_other_threads_did() {
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !ended.load(Relaxed) {
                        any_image(&mut |_, _| any_image(&mut |_, _| false));
                    }
                });
            }
            let status = (0..50).map(|_| status_of_a_child_that_walks()).find(|status| *status != 0);
            ended.store(true, Relaxed);
            assert_eq!(status, None);
        });
    }
}
