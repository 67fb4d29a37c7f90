//! Support for TAU up to 2.26: built by gcc, it calls a function of its own wrapper of libgomp at each region and task,
//! to name them.
#![allow(unsafe_code)] // calls another library's definition

use ompt_core::tls;
use runtimes::{gomp, pomp};
use std::ffi::c_void;
use std::mem::transmute;
use std::sync::OnceLock;
use system::linker::Scope;

type Find = extern "C-unwind" fn() -> *const c_void;

/// The outlined function of the task that the calling thread executes, or else of its innermost region, or of the last
/// region of a worker that goes idle. Null if there is none, or none is known. TAU ends the program if a span doesn't
/// end under the name with which it began. If TAU's wrapper comes after this library in the global scope, the wrapper
/// itself answers.
pub(crate) fn outlined_function() -> *const c_void {
    static NEXT: OnceLock<Option<Find>> = OnceLock::new();
    let next = NEXT.get_or_init(|| {
        let next = Scope::Next.symbol(c"Tau_get_gomp_proxy_address");
        // SAFETY: not null (`Scope::symbol`); TAU's function of that name takes nothing and returns a pointer.
        next.map(|next| unsafe { transmute::<*mut c_void, Find>(next) })
    });
    if let Some(next) = next {
        return next();
    }
    let Some(thread) = tls::get() else { return std::ptr::null() };
    let is_gomps = !pomp::is_alone() && !runtimes::ompt::is_running();
    let task = thread.current.task().filter(|_| is_gomps).map_or(0, gomp::function_of_task);
    (if task != 0 { task } else { thread.region_function() }) as *const c_void
}
