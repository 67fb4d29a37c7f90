//! Life of OMPT tools: when they are looked for, in a forked child, and at the end of the process. Also the program's
//! calls to them.
#![allow(unsafe_code)] // end of process; calls other libraries' definitions

use crate::session;
use ompt_core::detail::Detail;
use ompt_core::dispatch::{self, Interface, armed};
use ompt_core::event::{Event, EventSet};
use ompt_core::runtime_info::RuntimeInfo;
use ompt_core::thread::{self, Thread};
use ompt_core::v5::LateStart;
use ompt_core::v5::types::ompt_start_tool_result_t;
use ompt_core::{adapter, first_use, tls, tr2, v5};
use runtimes::{embed, gomp, pomp};
use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::{Once, OnceLock};
use system::errno::Errno;
use system::executable;
use system::linker::{LoadedObject, Scope};
use system::single_thread;

/// Prepares the search for tools. Called while the library is being loaded.
pub(crate) fn set_up() {
    first_use::prepare(look_for_tools);
}

/// The releases of OpenMP whose values tools can get on a runtime without an interface for them, with their dates.
pub(crate) const RELEASES: [(&str, u32); 4] = [("5.2", 202_111), ("5.1", 202_011), ("5.0", 201_811), ("6.0", 202_411)];

/// Index of the release that tools get.
static RELEASE: AtomicUsize = AtomicUsize::new(0);

/// Selects the release with this index for tools.
pub(crate) fn set_release(index: usize) {
    RELEASE.store(index, Relaxed);
}

/// The `omp_version` that tools get.
fn openmp() -> u32 {
    RELEASES.get(RELEASE.load(Relaxed)).map_or(0, |(_, date)| *date)
}

/// Answers a runtime that asks for a tool: returns this library, unless it is disabled.
pub(crate) fn start_tool(runtime_info: &RuntimeInfo) -> *const ompt_start_tool_result_t {
    if session::is_disabled() {
        return v5::next_tool(runtime_info);
    }
    let _ = RUNTIME.set(runtime_info.runtime);
    become_global();
    runtimes::ompt::prepare(exit::at_end, gomp::is_barrier);
    runtimes::ompt::start_tool(|take| {
        // A tool stays with the runtime that runs the program's regions.
        if !v5::leaves_none(gomp::is_bound() && !gomp::is_forwarded()) {
            v5::find_tools(runtime_info, take);
        }
    })
}

/// Adds this library to the global scope, where collectors look for it. A runtime that got it from `OMP_TOOL_LIBRARIES`
/// has opened it only for itself.
fn become_global() {
    let own = LoadedObject::of(become_global as *const () as *const c_void);
    let _stays = own.and_then(|own| own.hold(libc::RTLD_GLOBAL | libc::RTLD_NODELETE));
}

/// The runtime that has asked for a tool.
static RUNTIME: OnceLock<&'static CStr> = OnceLock::new();

/// The functions by which tools of TR2 and of OpenMP 5 are recognised.
const TOOLS: [&CStr; 2] = [c"ompt_initialize", c"ompt_start_tool"];

/// True if there are signs of a tool. Takes no lock of the dynamic linker that might be held by a thread which waits
/// for this one.
pub(crate) fn expects_tool() -> bool {
    let known = is_set(c"OMP_TOOL_LIBRARIES") || TOOLS.iter().any(|name| gomp::is_defined(name));
    known || (gomp::is_bound() && has_hidden_tool())
}

/// True if the program has a tool that is listed only in its symbol table, which is read once.
fn has_hidden_tool() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| TOOLS.iter().any(|name| executable::symbol(name).is_some()))
}

/// Looks up all symbols that are needed to start a tool, with the linker's lock: at a first use, a thread in a
/// constructor may hold that lock, and wait. Called while the library is being loaded, if there are signs of a tool.
pub(crate) fn look() {
    tr2::look();
    v5::look();
    gomp::look_for_sanitizer();
}

fn is_set(variable: &CStr) -> bool {
    // SAFETY: `variable` is a `CStr`. The environment must not be changed by another thread meanwhile (getenv(3),
    // MT-Safe env).
    let value = unsafe { libc::getenv(variable.as_ptr()) };
    // SAFETY: null, or the variable's C string (getenv(3)), which has at least its closing zero.
    unsafe { value.as_ref() }.is_some_and(|first| *first != 0)
}

/// Looks for tools and asks them, at the program's first use of its runtime.
fn look_for_tools() {
    static V5_ASKED: AtomicBool = AtomicBool::new(false);
    let errno = Errno::save();
    let quiet = !is_set(c"OMP_TOOL_VERBOSE_INIT") && !is_set(c"ORA_TOOL_LOG");
    if quiet && !expects_tool() && !has_hidden_tool() {
        return errno.restore();
    }
    let alone = single_thread::is_known();
    let embedded = embed::version().filter(|_| !gomp::is_bound());
    let ours = embedded.unwrap_or_else(|| if pomp::is_alone() { pomp::version() } else { gomp::version() });
    let runtime_info = RuntimeInfo { runtime: RUNTIME.get().copied().unwrap_or(ours), openmp: openmp() };
    let tr2 = tr2::initialize(&runtime_info);
    // A tool of OpenMP 5 stays attached in a forked child.
    let v5 = !V5_ASKED.swap(true, Relaxed) && v5::initialize(&runtime_info);
    if tr2 || v5 {
        exit::watch();
        let known = tls::get();
        adapter::attach_for_calls(alone);
        match known {
            // A tool of another interface was attached before, or the parent's tool.
            Some(thread) => [(Interface::Tr2, tr2), (Interface::V5, v5)]
                .iter()
                .filter(|(_, new)| *new)
                .for_each(|(interface, _)| thread.announce_to(*interface)),
            None => _ = thread::here(),
        }
    }
    errno.restore();
}

/// Starts a tool of OpenMP 5 in a running process, on a thread of the tool.
#[cfg_attr(feature = "linked", allow(dead_code))] // nothing attaches to a static program
pub(crate) fn start_late(function: *const c_void) -> LateStart {
    if session::is_disabled() {
        return LateStart::Declined;
    }
    if runtimes::ompt::is_running() {
        return LateStart::Taken;
    }
    exit::watch();
    gomp::note_late_start();
    // Before the tool has callbacks: the calling thread does not belong to the program, and is not reported.
    adapter::attach_for_calls(false);
    v5::start_late(&RuntimeInfo { runtime: gomp::version(), openmp: openmp() }, function)
}

/// Prepares a forked child: a tool of TR2 is asked again when the child uses its runtime.
pub(crate) fn after_fork() {
    gomp::after_fork();
    tr2::after_fork();
    if tr2::has_tool() {
        first_use::reset();
        gomp::await_use();
        pomp::await_use();
        runtimes::ompt::await_use();
    }
}

/// Reports `ompt_control` (TR2, 7) to the tool of TR2, and to the next definition of the function.
pub(crate) fn control(command: u64, modifier: u64) {
    tr2::control(command, modifier);
    if let Some(next) = next(c"ompt_control") {
        // SAFETY: not null (`Scope::symbol`); `ompt_control` takes two 64-bit integers and returns nothing (TR2, 7).
        let next: extern "C-unwind" fn(u64, u64) = unsafe { std::mem::transmute(next) };
        next(command, modifier);
    }
}

/// Reports `omp_control_tool` (OpenMP 5.0, 3.8.1) to the attached tool of OpenMP 5, or else to that of a runtime that
/// implements the function.
pub(crate) fn control_tool(command: i32, modifier: i32, argument: *mut c_void) -> i32 {
    /// `omp_control_tool_notool`
    const NO_TOOL: i32 = -2;
    /// `omp_control_tool_nocallback`
    const NO_CALLBACK: i32 = -1;
    if let Some(next) = next(c"omp_control_tool").filter(|_| !v5::is_attached()) {
        // SAFETY: not null (`Scope::symbol`); `omp_control_tool` has this signature (OpenMP 5.0, 3.8.1).
        let next: extern "C-unwind" fn(i32, i32, *mut c_void) -> i32 = unsafe { std::mem::transmute(next) };
        return next(command, modifier, argument);
    }
    let call = tls::call();
    first_use::handle();
    if !v5::is_attached() {
        return NO_TOOL;
    }
    let answer = Cell::new(NO_CALLBACK);
    if let Some(thread) = thread::here() {
        let [command, modifier] = [command, modifier].map(|number| i64::from(number).cast_unsigned());
        let detail = Detail::Control { command, modifier, argument: argument as usize, answer: &answer };
        // The start of a tool may have recorded other calls.
        tls::set_call(call);
        thread.current.in_runtime(call, || _ = thread.raise_for(Interface::V5, Event::Control, &detail));
    }
    answer.get()
}

fn next(name: &CStr) -> Option<*mut c_void> {
    Scope::Next.symbol(name)
}

/// Handler for the end of the process. Handlers that tools register for exit run later, as they were registered
/// earlier.
mod exit {
    use super::*;

    static WATCHED: Once = Once::new();
    pub(super) fn watch() {
        // SAFETY: atexit(3) takes a function without arguments, and this one is never unloaded (linked `-z nodelete`).
        WATCHED.call_once(|| _ = unsafe { libc::atexit(at_exit) });
    }

    extern "C" fn at_exit() {
        // A runtime that calls a tool reports its own end, which comes later.
        if !runtimes::ompt::is_running() {
            at_end();
        }
    }

    /// Deferred events of a worker, reported when it continues, or ends.
    const OVERDUE: EventSet =
        EventSet::of(&[Event::RegionBarrierWaitEnd, Event::ImplicitTaskEnd, Event::IdleEnd, Event::ThreadEnd]);

    /// Ends the sessions of OMPT tools. Runtimes don't stop their workers when the process ends, and neither does this
    /// library: destructors of thread-local objects don't run without it either.
    pub(super) fn at_end() {
        if armed(OVERDUE) {
            adapter::on_workers(Thread::retire_worker);
        }
        if let Some(thread) = tls::get() {
            thread.retire();
            thread.raise(Event::Shutdown);
        }
        tr2::shut_down();
        v5::finalize();
        dispatch::silence(Interface::Tr2);
        dispatch::silence(Interface::V5);
    }
}
