//! Allocator of this library: the C library's. ThreadSanitizer's `malloc` stores the call stack of each allocation, whose time and memory
//! grow with the depth of the stack.
#![allow(unsafe_code)] // calls the C library's allocator

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;

#[global_allocator]
static ALLOCATOR: LibraryC = LibraryC;

struct LibraryC;

/// The largest alignment that `malloc` guarantees (glibc manual, "Allocating Aligned Memory Blocks").
const ALIGNMENT: usize = 16;

unsafe extern "C" {
    // glibc's own names of `malloc` and so on (malloc/malloc.c), which ThreadSanitizer does not replace.
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

// SAFETY: glibc's functions fulfil the contract for sizes that are not 0, and for alignments up to `ALIGNMENT`; blocks with a larger
// one are `System`'s, which does. The layout, of which the alignment is a part, is the same in all calls for a block.
unsafe impl GlobalAlloc for LibraryC {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > ALIGNMENT {
            // SAFETY: the caller fulfils the same contract.
            return unsafe { System.alloc(layout) };
        }
        // SAFETY: `malloc` takes any size.
        unsafe { __libc_malloc(layout.size()) }.cast()
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() > ALIGNMENT {
            // SAFETY: the caller fulfils the same contract.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: `calloc` takes any size.
        unsafe { __libc_calloc(1, layout.size()) }.cast()
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() > ALIGNMENT {
            // SAFETY: the caller fulfils the same contract; the block is `System`'s.
            return unsafe { System.realloc(block, layout, size) };
        }
        // SAFETY: the block is from glibc, as its alignment shows; the size is not 0.
        unsafe { __libc_realloc(block.cast(), size) }.cast()
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.align() > ALIGNMENT {
            // SAFETY: the caller fulfils the same contract; the block is `System`'s.
            return unsafe { System.dealloc(block, layout) };
        }
        // SAFETY: the block is from glibc, as its alignment shows.
        unsafe { __libc_free(block.cast()) }
    }
}
