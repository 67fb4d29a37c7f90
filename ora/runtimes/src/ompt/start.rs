//! Life of the tool that runtimes see, from their search for a tool (`ompt_start_tool`; OpenMP 5.0, 4.2) to their end. This library is that
//! tool; it passes events on to the tools that the runtimes would have found without it.

use super::tools::Answer;
use super::{barrier_kind, entry_points, registration, runtime, tools};
use ompt_core::first_use;
use ompt_core::v5;
use ompt_core::v5::types::{ompt_data_t, ompt_function_lookup_t, ompt_start_tool_result_t};
use std::ffi::{CStr, c_int};
use std::ptr::null;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use system::linker::Scope;
use system::objects::any_object;

/// Function to call when the last runtime ends.
static AT_END: OnceLock<fn()> = OnceLock::new();
/// Number of runtimes that have started and not ended.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// The result for runtimes.
static ANSWER: Answer = Answer::new(initialize, finalize);

/// True once tools are being looked for, or the search is done.
static ASKED: AtomicBool = AtomicBool::new(false);
static FOUND: AtomicBool = AtomicBool::new(false);

/// Sets the function to call when the last runtime ends, and a test for functions that replace `GOMP_barrier`. Called before a runtime gets
/// a tool.
pub fn prepare(at_end: fn(), is_gomp_barrier: fn(usize) -> bool) {
    let _ = AT_END.set(at_end);
    barrier_kind::prepare(is_gomp_barrier);
}

/// Makes runtimes find this library, `ours`, although a tool in the executable, or in a library before this one, would come first: that
/// tool is served through us like the others. Called while the library is being loaded: a runtime that is loaded later finds that tool.
pub fn come_first(ours: *const ()) {
    let first = Scope::Default.symbol(c"ompt_start_tool");
    if first.is_some_and(|first| !std::ptr::addr_eq(first, ours)) {
        lead(c"ompt_start_tool", ours);
    }
}

/// Patches the GOT of LLVM's runtimes for a function that they define themselves as a default for tools to override: their own calls go to
/// `ours`.
fn lead(function: &CStr, ours: *const ()) {
    any_object(&mut |object| {
        let defines = |name| object.function(name, None).is_some();
        if defines(c"__kmpc_fork_call") && defines(function) {
            object.uses(function, &mut |import| _ = import.redirect(&object, ours));
        }
        false
    });
}

/// Answers a runtime that asks for a tool; `find` lists the tools that we pass events to.
pub fn start_tool(find: impl FnOnce(&mut dyn FnMut(v5::Found))) -> *const ompt_start_tool_result_t {
    // A second runtime in the process has the same tools.
    // AcqRel: pairs with this swap on another thread and determines which is first; `FOUND` publishes what `find` adds.
    if !ASKED.swap(true, AcqRel) {
        find(&mut |tool| _ = registration::add(tool));
        // Release: publishes the tools; pairs with the load below.
        FOUND.store(true, Release);
    } else if !FOUND.load(Acquire) {
        // A tool asks for the next tool, and finds us. (Acquire: pairs with the store above.)
        return null();
    }
    super::install();
    ANSWER.address()
}

extern "C-unwind" fn initialize(lookup: ompt_function_lookup_t, device: c_int, _: *mut ompt_data_t) -> c_int {
    let Some(runtime) = lookup.and_then(runtime::add) else { return 0 };
    barrier_kind::look_for_barriers();
    // Release: pairs with the load in `is_running` and the `fetch_sub` in `finalize`. Acquire: pairs with that `fetch_sub`: a first runtime
    // starts after the last one of those before it has ended.
    let first = RUNNING.fetch_add(1, AcqRel) == 0;
    registration::register_all(runtime);
    // Notifies tools of Technical Report 2, and others that wait for the first use.
    first_use::handle();
    if first {
        (0..tools::count()).for_each(|tool| initialize_one(tool, device));
    }
    registration::answer_for_none();
    1
}

/// Calls the tool's initializer, in which it registers its callbacks or declines; a tool that declines is removed.
fn initialize_one(tool: usize, device: c_int) {
    let Some(stays) = tools::initialize(tool, entry_points::LOOKUPS.get(tool).copied(), device) else { return };
    v5::answered(tools::function(tool), stays);
    if !stays {
        registration::declines(tool);
    }
}

extern "C-unwind" fn finalize(_: *mut ompt_data_t) {
    // AcqRel: pairs with this operation at the other runtimes' ends, so that the last end comes after everything that the others did.
    if RUNNING.fetch_sub(1, AcqRel) > 1 {
        return;
    }
    (0..tools::count()).for_each(tools::finalize);
    if let Some(at_end) = AT_END.get() {
        at_end();
    }
}

/// True if a runtime runs that will report its end.
pub fn is_running() -> bool {
    // Acquire: pairs with the `fetch_add` in `initialize` and the `fetch_sub` in `finalize`; only the number is used.
    RUNNING.load(Acquire) > 0
}
