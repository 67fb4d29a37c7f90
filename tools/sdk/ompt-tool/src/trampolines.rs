//! Trampolines: C functions that the runtime calls, and that call the tool's methods.
//!
//! Enums are passed as C's `int`, because a runtime may pass a number without a name.
#![allow(unsafe_code)] // the runtime's pointers

use crate::DispatchKind;
use crate::callback::Callback;
use crate::flags::{CancelFlags, ParallelFlags, TaskFlags};
use crate::installed::{Installed, call};
use crate::tool::events::*;
use crate::word::Data;
use ompt_abi::v5::{ompt_callback_t, ompt_data_t, ompt_dispatch_chunk_t, ompt_frame_t};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// Trampoline of a callback, without its signature.
pub(crate) fn of<T: Installed>(callback: Callback) -> ompt_callback_t {
    let function = match callback {
        Callback::ThreadBegin => thread_begin::<T> as *const (),
        Callback::ThreadEnd => thread_end::<T> as *const (),
        Callback::ParallelBegin => parallel_begin::<T> as *const (),
        Callback::ParallelEnd => parallel_end::<T> as *const (),
        Callback::ImplicitTask => implicit_task::<T> as *const (),
        Callback::TaskCreate => task_create::<T> as *const (),
        Callback::TaskSchedule => task_schedule::<T> as *const (),
        Callback::Dependences => dependences::<T> as *const (),
        Callback::TaskDependence => task_dependence::<T> as *const (),
        Callback::Work => work::<T> as *const (),
        Callback::Dispatch => dispatch::<T> as *const (),
        Callback::Masked => masked::<T> as *const (),
        Callback::SyncRegion => sync_region::<T> as *const (),
        Callback::SyncRegionWait => sync_region_wait::<T> as *const (),
        Callback::Reduction => reduction::<T> as *const (),
        Callback::LockInit => lock_init::<T> as *const (),
        Callback::LockDestroy => lock_destroy::<T> as *const (),
        Callback::MutexAcquire => mutex_acquire::<T> as *const (),
        Callback::MutexAcquired => mutex_acquired::<T> as *const (),
        Callback::MutexReleased => mutex_released::<T> as *const (),
        Callback::NestLock => nest_lock::<T> as *const (),
        Callback::Flush => flush::<T> as *const (),
        Callback::Cancel => cancel::<T> as *const (),
        Callback::ControlTool => control_tool::<T> as *const (),
        Callback::Error => error::<T> as *const (),
    };
    // SAFETY: the address of a function with C's calling convention. The runtime calls it with the signature that belongs to the callback.
    Some(unsafe { std::mem::transmute::<*const (), unsafe extern "C-unwind" fn()>(function) })
}

/// Trampolines. The runtime passes pointers that are null, or valid until the callback returns, and data words of this tool (OpenMP 5.0,
/// section 4.5.2): `word` and `frame` convert them to values.
macro_rules! trampolines {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty, $otherwise:expr)? => $event:expr;)*) => { $(
        /// Trampoline of the callback of this name.
        ///
        /// # Safety
        /// Called by the runtime, as specified in OpenMP 5.0, section 4.5.2.
        unsafe extern "C-unwind" fn $name<T: Installed>($($argument: $type),*) $(-> $result)? {
            let otherwise = trampolines!(@otherwise $($otherwise)?);
            call::<T, _>(stringify!($name), otherwise, |tool| tool.$name($event))
        }
    )* };
    (@otherwise) => { () };
    (@otherwise $otherwise:expr) => { $otherwise };
}

/// Data word that the runtime passes.
macro_rules! word {
    ($data:ident) => {
        // SAFETY: null, or a data word of this tool that is valid until the callback returns (by the trampoline's `# Safety`).
        unsafe { Data::at($data) }
    };
}

/// Frames that the runtime passes.
macro_rules! frame {
    ($frame:ident) => {
        // SAFETY: null, or the frames of the calling thread's task (by the trampoline's `# Safety`).
        unsafe { Frame::at($frame) }
    };
}

type Word = *mut ompt_data_t;
type Code = *const c_void;

trampolines! {
    thread_begin(kind: c_int, thread: Word) => ThreadBegin { kind: kind.into(), thread: word!(thread) };
    thread_end(thread: Word) => ThreadEnd { thread: word!(thread) };
    parallel_begin(
        task: Word, frame: *const ompt_frame_t, parallel: Word, requested: c_uint, flags: c_int, code: Code
    ) => ParallelBegin {
        task: word!(task), frame: frame!(frame), parallel: word!(parallel), requested, flags: ParallelFlags::new(flags),
        code: code.addr(),
    };
    parallel_end(parallel: Word, task: Word, flags: c_int, code: Code) => ParallelEnd {
        parallel: word!(parallel), task: word!(task), flags: ParallelFlags::new(flags), code: code.addr(),
    };
    implicit_task(endpoint: c_int, parallel: Word, task: Word, size: c_uint, index: c_uint, flags: c_int) => ImplicitTask {
        endpoint: endpoint.into(), parallel: word!(parallel), task: word!(task), size, index, flags: TaskFlags::new(flags),
    };
    task_create(
        task: Word, frame: *const ompt_frame_t, new_task: Word, flags: c_int, dependences: c_int, code: Code
    ) => TaskCreate {
        task: word!(task), frame: frame!(frame), new_task: word!(new_task), flags: TaskFlags::new(flags),
        has_dependences: dependences != 0, code: code.addr(),
    };
    task_schedule(prior: Word, status: c_int, next: Word) => TaskSchedule {
        prior: word!(prior), status: status.into(), next: word!(next),
    };
    dependences(task: Word, list: *const RawDependence, count: c_int) => Dependences {
        task: word!(task),
        list: match usize::try_from(count) {
            // SAFETY: the runtime passes this many dependences, which are valid until the callback returns (by the trampoline's `#
            // Safety`).
            Ok(count) if !list.is_null() => unsafe { std::slice::from_raw_parts(list, count) },
            _ => &[],
        },
    };
    task_dependence(before: Word, after: Word) => TaskDependence { before: word!(before), after: word!(after) };
    work(kind: c_int, endpoint: c_int, parallel: Word, task: Word, count: u64, code: Code) => Work {
        kind: kind.into(), endpoint: endpoint.into(), parallel: word!(parallel), task: word!(task), count, code: code.addr(),
    };
    dispatch(parallel: Word, task: Word, kind: c_int, instance: ompt_data_t) => Dispatch {
        parallel: word!(parallel), task: word!(task), kind: kind.into(), share: share(kind.into(), instance),
    };
    masked(endpoint: c_int, parallel: Word, task: Word, code: Code) => Masked {
        endpoint: endpoint.into(), parallel: word!(parallel), task: word!(task), code: code.addr(),
    };
    sync_region(kind: c_int, endpoint: c_int, parallel: Word, task: Word, code: Code) => SyncRegion {
        kind: kind.into(), endpoint: endpoint.into(), parallel: word!(parallel), task: word!(task), code: code.addr(),
    };
    sync_region_wait(kind: c_int, endpoint: c_int, parallel: Word, task: Word, code: Code) => SyncRegion {
        kind: kind.into(), endpoint: endpoint.into(), parallel: word!(parallel), task: word!(task), code: code.addr(),
    };
    reduction(kind: c_int, endpoint: c_int, parallel: Word, task: Word, code: Code) => SyncRegion {
        kind: kind.into(), endpoint: endpoint.into(), parallel: word!(parallel), task: word!(task), code: code.addr(),
    };
    lock_init(kind: c_int, hint: c_uint, implementation: c_uint, wait_id: u64, code: Code) => MutexAcquire {
        kind: kind.into(), hint, implementation, wait_id, code: code.addr(),
    };
    lock_destroy(kind: c_int, wait_id: u64, code: Code) => MutexEvent { kind: kind.into(), wait_id, code: code.addr() };
    mutex_acquire(kind: c_int, hint: c_uint, implementation: c_uint, wait_id: u64, code: Code) => MutexAcquire {
        kind: kind.into(), hint, implementation, wait_id, code: code.addr(),
    };
    mutex_acquired(kind: c_int, wait_id: u64, code: Code) => MutexEvent { kind: kind.into(), wait_id, code: code.addr() };
    mutex_released(kind: c_int, wait_id: u64, code: Code) => MutexEvent { kind: kind.into(), wait_id, code: code.addr() };
    nest_lock(endpoint: c_int, wait_id: u64, code: Code) => NestLock {
        endpoint: endpoint.into(), wait_id, code: code.addr(),
    };
    flush(thread: Word, code: Code) => Flush { thread: word!(thread), code: code.addr() };
    cancel(task: Word, flags: c_int, code: Code) => Cancel {
        task: word!(task), flags: CancelFlags::new(flags), code: code.addr(),
    };
    control_tool(command: u64, modifier: u64, argument: *mut c_void, code: Code) -> c_int, 1 => ControlTool {
        command, modifier, argument: argument.addr(), code: code.addr(),
    };
    error(severity: c_int, message: *const c_char, _length: usize, code: Code) => ErrorDirective {
        severity: severity.into(),
        // SAFETY: not null, so a C string that is valid until the callback returns (by the trampoline's `# Safety`).
        message: (!message.is_null()).then(|| unsafe { CStr::from_ptr(message) }),
        code: code.addr(),
    };
}

/// Share of work that an instance describes, by its kind.
#[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
fn share(kind: DispatchKind, instance: ompt_data_t) -> Share {
    // SAFETY: every bit pattern is a number.
    let word = unsafe { instance.value };
    match kind {
        DispatchKind::Iteration => Share::Iteration(word),
        DispatchKind::Section => Share::Section(word as usize),
        DispatchKind::LoopChunk | DispatchKind::TaskloopChunk | DispatchKind::DistributeChunk => {
            // SAFETY: every bit pattern is an address, which is passed on unchanged.
            let chunk = unsafe { instance.ptr }.cast::<ompt_dispatch_chunk_t>();
            // SAFETY: for these kinds the instance points to a chunk, or is null (OpenMP 5.2, section 19.5.2.6).
            match unsafe { chunk.as_ref() } {
                Some(chunk) => Share::Chunk { start: chunk.start, iterations: chunk.iterations },
                None => Share::Other,
            }
        }
        DispatchKind::Other(_) => Share::Other,
    }
}
