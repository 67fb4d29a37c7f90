//! Facts from the frames of a report: who called them, by the objects of their addresses.
#![allow(unsafe_code)] // asks the kernel's vector for the dynamic linker

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use system::linker::Scope;
use system::objects::any_image;

use crate::report::{Access, Location, frames};

/// Code of `libora.so`, which calls the bodies of regions and tasks, and of the dynamic linker.
static RUNTIME: Code = Code::none();
static LINKER: Code = Code::none();

/// Addresses of an object.
struct Code {
    start: AtomicUsize,
    end: AtomicUsize,
}

impl Code {
    const fn none() -> Self {
        Self { start: AtomicUsize::new(0), end: AtomicUsize::new(0) }
    }

    fn set(&self, extent: &Range<usize>) {
        self.start.store(extent.start, Relaxed);
        self.end.store(extent.end, Relaxed);
    }

    fn has(&self, address: usize) -> bool {
        (self.start.load(Relaxed)..self.end.load(Relaxed)).contains(&address)
    }
}

/// Finds the objects, which must not be done while a report is read.
pub(crate) fn set_up() {
    let runtime = Scope::Next.symbol(c"GOMP_parallel").map_or(0, |function| function.addr());
    // SAFETY: getauxval(3) takes a number, and touches no memory of ours.
    let linker = usize::try_from(unsafe { libc::getauxval(libc::AT_BASE) }).unwrap_or(0);
    any_image(&mut |image, _| {
        for (address, code) in [(runtime, &RUNTIME), (linker, &LINKER)] {
            if image.contains(address) {
                code.set(&image.extent());
            }
        }
        false
    });
}

/// Program counter of an access in the innermost body that the runtime has called; in the outermost function if there is none.
pub(crate) fn innermost_body(access: &Access) -> usize {
    access.frames().take_while(|frame| !RUNTIME.has(*frame)).last().unwrap_or(0)
}

/// True for a block that was allocated in a region or task: a thread's tasks and sections may use it in turn, as they use its buffers.
pub(crate) fn is_of_region(location: &Location) -> bool {
    location.kind == c"heap" && frames(&location.stack).any(|frame| RUNTIME.has(frame))
}

/// True for a block that the dynamic linker has allocated: thread-local variables of a library that was loaded later.
pub(crate) fn is_thread_local(location: &Location) -> bool {
    // The first frame is ThreadSanitizer's own.
    location.kind == c"heap" && frames(&location.stack).nth(1).is_some_and(|caller| LINKER.has(caller))
}
