//! Zeroed pages that are never freed. Thousands of threads that start together would contend for the lock of the
//! process's mappings, so one mapping has pages for many of them.
#![cfg_attr(not(loom), allow(unsafe_code))] // memory comes from mmap

use crate::sync::AtomicU64;
use crate::sync::Ordering::Relaxed;

const PAGE: u64 = 4096;
/// Bits of a run's word that hold its number of pages.
const COUNT_BITS: u32 = 16;
const COUNT: u64 = (1 << COUNT_BITS) - 1;

/// Contiguous pages that nobody uses yet: the number of the first one, which is its address in pages, and the count of pages.
#[derive(Debug)]
struct Run(AtomicU64);

impl Run {
    crate::const_unless_loom! {
        /// Contains no page.
        empty => Self(AtomicU64::new(0))
    }

    /// The address of `pages` pages, which belong to the caller from now on. Threads exchange only addresses here, none of them twice, and
    /// the pages' contents come from the system: relaxed operations are enough.
    fn take(&self, pages: u64) -> Option<u64> {
        let rest = |run: u64| (run & COUNT >= pages).then(|| run + (pages << COUNT_BITS) - pages);
        self.0.fetch_update(Relaxed, Relaxed, rest).ok().map(|run| (run >> COUNT_BITS) * PAGE)
    }

    /// Replaces the remaining pages by these.
    #[cfg_attr(loom, allow(dead_code))]
    fn renew(&self, address: u64, pages: u64) {
        self.0.store((address / PAGE) << COUNT_BITS | pages, Relaxed);
    }
}

#[cfg(not(loom))]
pub use mapped::{pages, reserve_pages};

#[cfg(not(loom))]
mod mapped {
    use super::{PAGE, Run};
    use crate::errno::Errno;
    use std::ptr::{self, NonNull, with_exposed_provenance_mut};

    /// Number of pages that are mapped at a time; half of that if the system refuses, and so on. Only pages that are used take memory.
    const TOGETHER: u64 = 4096;
    /// Requests for more pages than this get a mapping of their own.
    const MAX_POOLED_PAGES: u64 = 16;

    static RUN: Run = Run::empty();

    /// Zeroed memory for at least `bytes` bytes, page-aligned. `None` if the system refuses it. Never unmapped. Keeps errno.
    #[cold]
    pub fn pages(bytes: usize) -> Option<NonNull<u8>> {
        let pages = (bytes as u64).div_ceil(PAGE);
        if pages > MAX_POOLED_PAGES {
            return map(pages).and_then(at);
        }
        if let Some(address) = RUN.take(pages) {
            return at(address);
        }
        // If several threads find no page, all but one of their mappings are forgotten.
        let (address, mapped) = map_run(pages)?;
        RUN.renew(address + pages * PAGE, mapped - pages);
        at(address)
    }

    /// Maps the first run before there are several threads that would each map one.
    pub fn reserve_pages() {
        if RUN.take(0).is_none_or(|address| address == 0)
            && let Some((address, mapped)) = map_run(1)
        {
            RUN.renew(address, mapped);
        }
    }

    /// The address of a new run, and its number of pages: at least as many as are needed.
    fn map_run(needed: u64) -> Option<(u64, u64)> {
        let mut pages = TOGETHER;
        loop {
            if let Some(address) = map(pages) {
                return Some((address, pages));
            }
            if pages == needed {
                return None;
            }
            pages = (pages / 2).max(needed);
        }
    }

    fn at(address: u64) -> Option<NonNull<u8>> {
        NonNull::new(with_exposed_provenance_mut(usize::try_from(address).ok()?))
    }

    fn map(pages: u64) -> Option<u64> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let bytes = usize::try_from(pages * PAGE).ok()?;
        let errno = Errno::save();
        // SAFETY: an anonymous private mapping at an address of the system's choice touches no memory of ours (mmap(2)).
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) };
        errno.restore();
        (start != libc::MAP_FAILED).then(|| start.expose_provenance() as u64)
    }

    #[cfg(test)]
    #[allow(clippy::disallowed_types)] // no program's thread runs this
    mod tests {
        use super::*;
        use std::collections::BTreeSet;

        #[test]
        fn memory_is_zero_and_each_piece_is_somebodys_own() {
            let sizes = [1, 4096, 4097, 12_000, 33_000, 70_000];
            let thread = || {
                let mut taken = Vec::new();
                for bytes in sizes.into_iter().cycle().take(120) {
                    let start = pages(bytes).unwrap();
                    // SAFETY: `pages` gave this much memory to this thread alone.
                    let memory = unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), bytes) };
                    assert!(memory.iter().all(|byte| *byte == 0) && start.addr().get().is_multiple_of(4096));
                    memory.fill(1);
                    taken.push((start.addr().get(), bytes));
                }
                taken
            };
            let all: BTreeSet<_> = std::thread::scope(|scope| {
                let threads = [(); 4].map(|()| scope.spawn(thread));
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(all.len(), 480);
            let pairs = all.iter().zip(all.iter().skip(1));
            assert!(pairs.into_iter().all(|((start, bytes), (next, _))| start + bytes <= *next));
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn no_page_is_given_twice() {
        loom::model(|| {
            let run = Arc::new(Run::empty());
            run.renew(PAGE, 3);
            let other = {
                let run = run.clone();
                thread::spawn(move || run.take(1))
            };
            let own = run.take(2).unwrap();
            let theirs = other.join().unwrap().unwrap();
            assert!(own + 2 * PAGE == theirs || theirs + PAGE == own, "{own:#x} {theirs:#x}");
            assert_eq!(run.take(1), None);
        });
    }
}
