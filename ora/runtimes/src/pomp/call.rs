//! A call of instrumented code, as passed to the functions that implement the exported ones.
#![allow(unsafe_code)] // reads and writes what the program passes, and calls another library

use super::ctc::up_to_end;
use super::forward;
use super::mode::Mode;
use super::names::Entry;
use super::sites::{self, Handle, Site};
use std::marker::PhantomData;
use system::memory::Link;

/// Arguments of one call of a `POMP2_*` function with the signature `S`, and the mode in which it came.
///
/// Only the generated functions create such values (`entry.rs`), one for each call: instrumented code passed these arguments to the
/// exported function of `entry`'s name, which has that signature in `headers/opari2/pomp2_lib.h`. A value lives no longer than the call,
/// and stays on its thread. So
/// - the handle is null or the address of a variable of the program, aligned, 0 at first and written only by the library that receives the
///   call;
/// - a string is null, or ends with two asterisks or a zero byte;
/// - an address for a task's value (`POMP2_Task_handle *`) is that of 8 bytes of the caller, aligned, and used by no other thread during
///   the call.
pub(super) struct Call<'call, S> {
    entry: Entry,
    /// The construct's handle, if the signature has one.
    handle: *const Link<Site>,
    /// The other arguments; arbitrary if there are fewer.
    rest: [usize; 4],
    /// The caller's stack pointer.
    pub(super) frame: usize,
    /// The mode of calls at the time of this one.
    pub(super) mode: Mode,
    signature: PhantomData<(&'call S, *const ())>,
}

/// The position of a call in the program's code.
#[cfg(not(feature = "linked"))]
pub(super) struct Position<'call> {
    pub(super) entry: Entry,
    /// The address to which the call returns.
    pub(super) returns: usize,
    /// The construct.
    pub(super) site: Option<&'static Site>,
    during: PhantomData<&'call ()>,
}

#[cfg(not(feature = "linked"))]
impl Position<'_> {
    /// The position of the call that passes this handle, or null, and returns to this address.
    ///
    /// # Safety
    /// As for [`Call::new`], for a signature with a handle unless that is null.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn of(entry: Entry, handle: *const Link<Site>, returns: usize) -> Self {
        // SAFETY: the handle of a call that has not returned (by this function's `# Safety`).
        let handle = unsafe { handle_at(handle, forward::is_on()) };
        Self { entry, returns, site: handle.and_then(sites::of), during: PhantomData }
    }
}

/// A construct's handle; `None` for null.
///
/// # Safety
/// It is the handle of a call that has not returned, as described at [`Call`].
#[inline(always)]
unsafe fn handle_at<'call>(handle: *const Link<Site>, is_foreign: bool) -> Option<Handle<'call>> {
    if is_foreign {
        return (!handle.is_null()).then(|| Handle::Foreign(handle.addr()));
    }
    // SAFETY: null, or an aligned variable of the program, 0 at first, which only `sites` writes (see `Call`): so it is an empty link or a
    // link to a site.
    unsafe { handle.as_ref() }.map(Handle::Own)
}

/// Signatures; the comments list the arguments after the handle.
pub(super) mod signature {
    /// No arguments, and no handle.
    pub(in super::super) enum Nothing {}
    /// No arguments.
    pub(in super::super) enum Handle {}
    /// A string.
    pub(in super::super) enum Named {}
    /// A task's value.
    pub(in super::super) enum Value {}
    /// An address for a task's value.
    pub(in super::super) enum Place {}
    /// An address for a task's value, a string.
    pub(in super::super) enum NamedPlace {}
    /// Two numbers, an address for a task's value, a string.
    pub(in super::super) enum Fork {}
    /// Addresses for the new task's value and for that of the current one, a number, a string.
    pub(in super::super) enum Create {}
}

/// A signature of a function.
pub(super) trait Signature {
    #[cfg_attr(feature = "linked", allow(dead_code))] // asked where calls are written to a file
    const HAS_HANDLE: bool;
}
/// A signature with a handle.
pub(super) trait WithHandle {}
/// A signature with a string, whose position among the arguments after the handle is given.
pub(super) trait WithString: WithHandle {
    const STRING: usize;
}
/// A signature with an address for the current task's value, whose position among the arguments after the handle is
/// given.
pub(super) trait WithPlace: WithHandle {
    const PLACE: usize;
}

macro_rules! signatures {
    ($($name:ident $(, string $string:literal)? $(, place $place:literal)?;)*) => {
        $(
            impl WithHandle for signature::$name {}
            impl Signature for signature::$name {
                const HAS_HANDLE: bool = true;
            }
            $(impl WithString for signature::$name {
                const STRING: usize = $string;
            })?
            $(impl WithPlace for signature::$name {
                const PLACE: usize = $place;
            })?
        )*
    };
}

signatures! {
    Handle;
    Named, string 0;
    Value;
    Place, place 0;
    NamedPlace, string 1, place 0;
    Fork, string 3, place 2;
    Create, string 3, place 1;
}

impl Signature for signature::Nothing {
    const HAS_HANDLE: bool = false;
}

impl<'call, S> Call<'call, S> {
    /// The call that has arrived at a function, in whose frame `_own` is.
    ///
    /// # Safety
    /// Instrumented code calls the exported function of `entry`'s name, of this signature, with these arguments. `frame` is its
    /// stack pointer at the call, which has not returned. This is the only value for the call.
    #[inline(always)]
    pub(super) unsafe fn new(
        _own: &'call (),
        entry: Entry,
        handle: *const Link<Site>,
        rest: [usize; 4],
        frame: usize,
        mode: Mode,
    ) -> Self {
        Self { entry, handle, rest, frame, mode, signature: PhantomData }
    }

    fn argument(&self, number: usize) -> usize {
        self.rest.get(number).copied().unwrap_or(0)
    }

    /// Calls the function with the same name in the other measurement library, if there is one.
    #[inline(always)]
    pub(super) fn forward(self) {
        if self.mode.is_forwarded() {
            self.forward_to();
        }
    }

    #[cold]
    fn forward_to(self) {
        /// The other library's function, with at most five arguments.
        type Next = unsafe extern "C-unwind" fn(*const Link<Site>, usize, usize, usize, usize) -> usize;
        let Some(next) = forward::next(self.entry) else { return };
        // SAFETY: the function of that name, which takes at most five arguments in registers (`pomp2_lib.h`).
        let next = unsafe { std::mem::transmute::<*const (), Next>(next.0) };
        let [b, c, d, e] = self.rest;
        // SAFETY: it gets the program's arguments, or values of its own that replace ours; the call is made once. Registers beyond its
        // arity are not read (psABI).
        unsafe { next(self.handle, b, c, d, e) };
    }
}

impl<'call, S: WithHandle> Call<'call, S> {
    /// The construct's handle; `None` for null.
    #[inline(always)]
    pub(super) fn handle(&self) -> Option<Handle<'call>> {
        // SAFETY: the handle of this call, which has not returned.
        unsafe { handle_at(self.handle, self.mode.is_forwarded()) }
    }

    /// The construct, if it is known.
    #[inline(always)]
    pub(super) fn site(&self) -> Option<&'static Site> {
        sites::of(self.handle()?)
    }
}

impl<S: WithString> Call<'_, S> {
    /// The construct, which the string describes.
    #[inline(always)]
    pub(super) fn named(&self) -> Option<&'static Site> {
        let handle = self.handle()?;
        // SAFETY: by the signature a string, or null (see `Call`).
        sites::of(handle).or_else(|| unsafe { name(handle, self.argument(S::STRING) as *const u8) })
    }
}

/// A new construct, described by the string.
///
/// # Safety
/// The string is null, or ends with two asterisks or a zero byte.
#[cold]
#[inline(never)]
unsafe fn name(handle: Handle<'_>, string: *const u8) -> Option<&'static Site> {
    if string.is_null() {
        return None;
    }
    // SAFETY: not null, and so a string with an end (by this function's `# Safety`), which `up_to_end` finds before more bytes are read.
    sites::assign(handle, up_to_end((0..).map(|i| unsafe { string.wrapping_add(i).read() })))
}

impl<S: WithPlace> Call<'_, S> {
    /// Writes the value that the program keeps for the current task.
    #[inline(always)]
    pub(super) fn save(&self, task: u64) {
        // SAFETY: by the signature the address for a task's value: writable, 8 bytes, aligned (see `Call`).
        unsafe { (self.argument(S::PLACE) as *mut u64).write(task) };
    }
}

impl Call<'_, signature::Value> {
    /// The value of a task.
    #[inline(always)]
    pub(super) fn value(&self) -> u64 {
        self.argument(0) as u64
    }

    /// Passes the call on with another value.
    pub(super) fn forward_with(mut self, task: u64) {
        let [value, ..] = &mut self.rest;
        #[allow(clippy::cast_possible_truncation)] // values have 64 bits here
        (*value = task as usize);
        self.forward();
    }
}

impl Call<'_, signature::Fork> {
    /// The arguments of the clauses `if` and `num_threads`.
    #[inline(always)]
    pub(super) fn clauses(&self) -> [usize; 2] {
        let [if_clause, threads, ..] = self.rest;
        [if_clause, threads]
    }
}

/// The program's address for the value of a new task.
pub(super) struct NewTask<'call>(*mut u64, PhantomData<&'call mut u64>);

impl NewTask<'_> {
    /// Writes the value.
    #[inline(always)]
    pub(super) fn name(self, task: u64) {
        // SAFETY: by the signature the address for a task's value: writable, 8 bytes, aligned (see `Call`).
        unsafe { self.0.write(task) };
    }
}

impl<'call> Call<'call, signature::Create> {
    /// The address for the value of the new task.
    #[inline(always)]
    pub(super) fn new_task(&self) -> NewTask<'call> {
        NewTask(self.argument(0) as *mut u64, PhantomData)
    }

    /// Passes the call on with another address for the new task's value.
    pub(super) fn forward_into(mut self, theirs: &mut u64) {
        let [place, ..] = &mut self.rest;
        *place = (&raw mut *theirs) as usize;
        self.forward();
    }
}
