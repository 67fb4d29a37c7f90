//! Runtimes that have started this library as their tool, and their entry points. A process may have several (LLVM's and
//! Intel's, or one that a library brought along).
#![allow(unsafe_code)] // functions of the runtimes

use ompt_core::adapter;
use ompt_core::frame::Frame;
use ompt_core::tls;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::mem::transmute;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use system::objects;

/// A function of unknown type.
pub(super) type Function = unsafe extern "C-unwind" fn();
/// `ompt_function_lookup_t` (OpenMP 5.0, 4.6.3.1).
pub(super) type Lookup = unsafe extern "C-unwind" fn(*const c_char) -> Option<Function>;

type SetCallback = unsafe extern "C-unwind" fn(c_int, Option<Function>) -> c_int;
type GetParallelInfo = unsafe extern "C-unwind" fn(c_int, *mut *mut Word, *mut c_int) -> c_int;
type GetTaskInfo = unsafe extern "C-unwind" fn(
    c_int,
    *mut c_int,
    *mut *mut Word,
    *mut *mut Frame,
    *mut *mut Word,
    *mut c_int,
) -> c_int;
type GetState = unsafe extern "C-unwind" fn(*mut u64) -> c_int;
type GetTaskMemory = unsafe extern "C-unwind" fn(*mut *mut c_void, *mut usize, c_int) -> c_int;
type GetThreadData = unsafe extern "C-unwind" fn() -> *mut Word;

/// A runtime's tool word (`ompt_data_t`).
pub(super) type Word = AtomicU64;

/// Address of a word that a runtime has passed or returned. It may be invalid: see [`there`].
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct WordAt<'a>(*const Word, PhantomData<&'a Word>);

impl<'a> WordAt<'a> {
    /// The address of this word.
    pub(super) fn of(word: &'a Word) -> Self {
        Self(word, PhantomData)
    }

    /// A word that a runtime has returned.
    ///
    /// # Safety
    /// The runtime has just returned the address, and the region, task or thread lasts as long as the result is used.
    pub(super) unsafe fn returned(word: *const Word) -> Self {
        Self(word, PhantomData)
    }

    /// The address.
    pub(super) fn address(self) -> *const Word {
        self.0
    }
}

/// The word, if the address is valid. LLVM's runtime, at least up to 19, returns an address in the first page for the team around
/// serialized teams: that of a word in a record that does not exist.
#[inline(always)]
pub(super) fn there(WordAt(word, _): WordAt<'_>) -> Option<&Word> {
    const PAGE: usize = 4096;
    if word.addr() < PAGE {
        return None;
    }
    // SAFETY: not in the first page, so the address of an `ompt_data_t` that the runtime passed or returned: it is aligned, and exists as
    // long as the region, task or thread that it is for (OpenMP 5.0, 4.4.4.4), about which the runtime is reporting or being queried.
    Some(unsafe { &*word })
}

/// A callback for an event, or the removal of one.
#[derive(Clone, Copy)]
pub(super) struct Registration {
    event: c_int,
    callback: Option<Function>,
}

impl Registration {
    /// The registration of a callback.
    ///
    /// # Safety
    /// The callback has the type of the event (OpenMP 5.0, 4.5.2).
    pub(super) unsafe fn new(event: c_int, callback: Option<Function>) -> Self {
        Self { event, callback }
    }

    /// Removes the callback for the event.
    pub(super) fn of_none(event: c_int) -> Self {
        Self { event, callback: None }
    }

    /// The event.
    pub(super) fn event(self) -> c_int {
        self.event
    }

    /// The callback.
    pub(super) fn callback(self) -> Option<Function> {
        self.callback
    }
}

/// Entry points of one runtime.
pub(super) struct Runtime {
    pub(super) lookup: Lookup,
    set_callback: SetCallback,
    pub(super) get_parallel_info: GetParallelInfo,
    pub(super) get_task_info: GetTaskInfo,
    pub(super) get_state: GetState,
    pub(super) get_thread_data: GetThreadData,
    pub(super) get_task_memory: Option<GetTaskMemory>,
    /// Addresses of its own code.
    code: Range<usize>,
}

static RUNTIMES: [OnceLock<Runtime>; 4] = [const { OnceLock::new() }; 4];

/// All runtimes that have started us.
#[inline(always)]
pub(super) fn all() -> impl Iterator<Item = &'static Runtime> {
    RUNTIMES.iter().map_while(OnceLock::get)
}

/// The first of them.
pub(super) fn first() -> Option<&'static Runtime> {
    all().next()
}

/// Adds a runtime. `None` if it lacks a function that every runtime has, or if the table is full.
pub(super) fn add(lookup: Lookup) -> Option<&'static Runtime> {
    let runtime = Runtime::new(lookup)?;
    let free = RUNTIMES.iter().find(|place| place.get().is_none())?;
    free.set(runtime).ok()?;
    free.get()
}

impl Runtime {
    fn new(lookup: Lookup) -> Option<Self> {
        // SAFETY: `lookup` is the runtime's `ompt_function_lookup_t`, which takes a C string (OpenMP 5.0, 4.6.3.1).
        let find = |name: &CStr| unsafe { lookup(name.as_ptr()) };
        // SAFETY: the entry point of this name has this type (OpenMP 5.0, 4.6.1.3).
        let set_callback = unsafe { transmute::<Function, SetCallback>(find(c"ompt_set_callback")?) };
        // SAFETY: the entry point of this name has this type (OpenMP 5.0, 4.6.1.13).
        let get_parallel_info = unsafe { transmute::<Function, GetParallelInfo>(find(c"ompt_get_parallel_info")?) };
        // SAFETY: the entry point of this name has this type (OpenMP 5.0, 4.6.1.14).
        let get_task_info = unsafe { transmute::<Function, GetTaskInfo>(find(c"ompt_get_task_info")?) };
        // SAFETY: the entry point of this name has this type (OpenMP 5.0, 4.6.1.12).
        let get_state = unsafe { transmute::<Function, GetState>(find(c"ompt_get_state")?) };
        // SAFETY: the entry point of this name has this type (OpenMP 5.0, 4.6.1.5).
        let get_thread_data = unsafe { transmute::<Function, GetThreadData>(find(c"ompt_get_thread_data")?) };
        // SAFETY: the entry point of this name has this type (OpenMP 5.0, 4.6.1.15); `None` is the same in both types.
        let get_task_memory =
            unsafe { transmute::<Option<Function>, Option<GetTaskMemory>>(find(c"ompt_get_task_memory")) };
        Some(Self {
            lookup,
            get_task_memory,
            set_callback,
            get_parallel_info,
            get_task_info,
            get_state,
            get_thread_data,
            code: code_around(lookup as usize),
        })
    }

    /// Registers a callback, or unregisters it, and returns the runtime's answer.
    pub(super) fn register(&self, Registration { event, callback }: Registration) -> c_int {
        // SAFETY: the runtime's `ompt_set_callback`; the callback has the event's type (`Registration`), and null removes the callback of
        // any event (OpenMP 5.0, 4.6.1.3).
        unsafe { (self.set_callback)(event, callback) }
    }

    /// True if the calling thread executes a task of a parallel region. Async-signal-safe.
    fn in_parallel(&self) -> bool {
        /// States of workers between regions: `ompt_state_wait_barrier_implicit_parallel`, in LLVM's runtime 14
        /// `ompt_state_wait_barrier_implicit`; of workers of a league, even during the league: `ompt_state_wait_barrier_teams`; and
        /// `ompt_state_idle`.
        const AWAY: [c_int; 4] = [0x11, 0x13, 0x16, 0x100];
        /// Implicit and explicit tasks.
        const INSIDE: c_int = 6;
        let (mut flags, mut number) = (0, 0);
        // SAFETY: the runtime's `ompt_get_task_info` (OpenMP 5.0, 4.6.1.14) writes to `flags` and `number`, and nothing through null
        // pointers, like `__ompt_get_task_info_internal` of LLVM's runtime.
        let known =
            unsafe { (self.get_task_info)(0, &raw mut flags, null_mut(), null_mut(), null_mut(), &raw mut number) };
        if known != 2 || flags & INSIDE == 0 {
            return false;
        }
        // SAFETY: the runtime's `ompt_get_state` (OpenMP 5.0, 4.6.1.12) accepts a null pointer for the wait id.
        let state = unsafe { (self.get_state)(null_mut()) };
        number == 0 || !AWAY.contains(&state)
    }

    /// Address of the runtime's frames of the calling thread's task.
    fn frame(&self) -> *const Frame {
        let mut frame = null_mut();
        // SAFETY: the runtime's `ompt_get_task_info` (OpenMP 5.0, 4.6.1.14) writes to `frame`, and nothing through null pointers.
        unsafe { (self.get_task_info)(0, null_mut(), null_mut(), &raw mut frame, null_mut(), null_mut()) };
        frame
    }
}

/// The code of the object that has this function.
fn code_around(function: usize) -> Range<usize> {
    let mut code = 0..0;
    objects::any_object(&mut |object| {
        object.code_around(function).is_some_and(|found| {
            code = found;
            true
        })
    });
    code
}

/// Return address in the program; 0 for an address in a runtime. If a function of the program ends with a tail call of the runtime, the
/// address is that of the runtime's function which called it.
pub(super) fn of_program(address: usize) -> usize {
    if all().any(|runtime| runtime.code.contains(&address)) { 0 } else { address }
}

/// True if the calling thread executes a task of a parallel region of any runtime. Async-signal-safe.
#[inline(always)]
pub(super) fn in_parallel() -> bool {
    all().any(Runtime::in_parallel)
}

/// Records the address of the runtime's frames of the calling thread's current task, if a tool needs frames.
pub(super) fn keep_frame() {
    if adapter::reports_calls()
        && let Some(task) = tls::get().and_then(|thread| thread.current.task())
    {
        let frame = all().map(Runtime::frame).find(|frame| !frame.is_null()).unwrap_or(null_mut());
        // SAFETY: null, or the `ompt_frame_t` of the task that this thread executes (OpenMP 5.0, 4.6.1.14), `task`: the runtime keeps it
        // with its own record of the task, until the task is over.
        unsafe { task.keep_frame_at(frame) };
    }
}
