//! The libgomp that a call is for, as a type parameter of wrappers. [`First`], the libgomp with which the process started, is a part of the
//! wrappers' code. [`Other`] is passed with each call.
#![allow(unsafe_code)] // addresses of code become functions

use super::arguments::Arguments;
use super::entry_facts::{EntryFacts, FACTS, of};
use super::exports::RUNTIMES;
use super::runtime::{REAL, RUNTIME_SIZE, Runtime};
use std::marker::PhantomData;
use std::mem::transmute_copy;
use std::ptr::with_exposed_provenance;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Selects a runtime instance.
///
/// Only functions that don't belong to a trait name the first instance. Names in traits and their implementations count as visible to other
/// crates, and are then addressed through the GOT.
pub(super) trait Instance: Copy {
    /// True for the first instance.
    const IS_FIRST: bool;

    /// The selector of an instance.
    fn of_runtime(runtime: &'static Runtime) -> Self;

    /// The instance, unless it is the first.
    fn other(self) -> Option<&'static Runtime>;
}

/// The libgomp that the process started with.
#[derive(Clone, Copy)]
pub(super) struct First;

impl Instance for First {
    const IS_FIRST: bool = true;

    #[inline(always)]
    fn of_runtime(_: &'static Runtime) -> Self {
        Self
    }

    #[inline(always)]
    fn other(self) -> Option<&'static Runtime> {
        None
    }
}

/// A libgomp other than the first.
#[derive(Clone, Copy)]
pub(super) struct Other(&'static Runtime);

impl Instance for Other {
    const IS_FIRST: bool = false;

    #[inline(always)]
    fn of_runtime(runtime: &'static Runtime) -> Self {
        Self(runtime)
    }

    #[inline(always)]
    fn other(self) -> Option<&'static Runtime> {
        Some(self.0)
    }
}

/// The instance with that number. The number is not computed if only the first instance is possible.
#[inline(always)]
pub(super) fn numbered<I: Instance>(number: impl FnOnce() -> usize) -> I {
    let runtime = if I::IS_FIRST { None } else { RUNTIMES.all.get(number()) };
    I::of_runtime(runtime.unwrap_or(RUNTIMES.first()))
}

/// The instance of a libgomp.
#[inline(always)]
pub(super) fn runtime(instance: impl Instance) -> &'static Runtime {
    instance.other().unwrap_or(RUNTIMES.first())
}

/// The real function of entry `E`, as a function of type `F`.
///
/// # Safety
/// `F` is a function pointer type that fits the entry, which is bound.
#[inline(always)]
pub(super) unsafe fn bound<const E: usize, F: Copy>(instance: impl Instance) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut ()>()) };
    let address = runtime(instance).real_in_wrapper(E);
    // SAFETY: by this function's `# Safety` the address is that of a bound entry, not null, and `F` fits it; the assertion
    // compares the sizes.
    unsafe { transmute_copy(&address) }
}

/// An entry of an instance, with its signature.
pub(super) trait Target: Copy {
    type Instance: Instance;
    type Arguments: Arguments;
    type Result;

    /// The libgomp that has the entry.
    fn instance(self) -> Self::Instance;

    /// The number of the entry.
    fn entry(self) -> usize;

    /// Facts that follow from the entry's name.
    fn facts(self) -> EntryFacts;

    /// The word with the address of the entry's real function, unless it is the first instance's.
    fn word(self) -> Option<&'static AtomicPtr<()>>;
}

/// The entry's real function, as one of another type. Used in its wrapper.
///
/// # Safety
/// `F` is a function pointer type that fits the entry, which is bound, or that reads no other arguments of the call at
/// hand.
#[inline(always)]
pub(super) unsafe fn function_as<F: Copy>(target: impl Target) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut ()>()) };
    let address = match target.word() {
        Some(word) => word.load(Relaxed),
        None => RUNTIMES.first().real_in_wrapper(target.entry()),
    };
    // SAFETY: not null, since the entry is bound. By this function's `# Safety` `F` fits it; the assertion compares the sizes.
    unsafe { transmute_copy(&address) }
}

/// Calls the entry's real function.
///
/// # Safety
/// The entry is bound. The arguments are those of the program's call, or ones that libgomp accepts instead; nothing else calls the function
/// for that call.
#[inline(always)]
pub(super) unsafe fn go_on_with<T: Target>(target: T, arguments: T::Arguments) -> T::Result {
    // SAFETY: the function has the entry's signature, which is that of the target (`names.rs`); the entry is bound.
    let function = unsafe { function_as(target) };
    // SAFETY: the function may have the arguments by this function's `# Safety`.
    unsafe { arguments.pass_to(function) }
}

/// A program's call of an entry, with its arguments, which a wrapper reports.
///
/// Only the generated wrappers create such values (`wrappers.rs`), one for each call, of the entry's signature. A value lives no longer
/// than the call, stays on its thread, and is consumed by the one call of the real function, which is therefore safe.
pub(super) struct PendingCall<'call, T: Target> {
    target: T,
    arguments: T::Arguments,
    frame: PhantomData<(&'call (), *const ())>,
}

impl<'call, T: Target> PendingCall<'call, T> {
    /// The call that has arrived at a wrapper, in whose frame `_frame` is.
    ///
    /// # Safety
    /// The program calls the entry, of this signature, with these arguments; this is the only value for that call.
    #[inline(always)]
    pub(super) unsafe fn new(_frame: &'call (), target: T, arguments: T::Arguments) -> Self {
        Self { target, arguments, frame: PhantomData }
    }

    /// The entry.
    #[inline(always)]
    pub(super) fn target(&self) -> T {
        self.target
    }

    /// The libgomp that the call is for.
    #[inline(always)]
    pub(super) fn instance(&self) -> T::Instance {
        self.target.instance()
    }

    /// The program's arguments.
    #[inline(always)]
    pub(super) fn arguments(&self) -> T::Arguments {
        self.arguments
    }

    /// Calls the entry's real function as the program does.
    #[inline(always)]
    pub(super) fn go_on(self) -> T::Result {
        self.prepare().go_on()
    }

    /// Looks up the real function.
    #[inline(always)]
    pub(super) fn prepare(self) -> Prepared<'call, T::Arguments, T::Result> {
        // SAFETY: the function has the entry's signature, which is that of the target (`names.rs`); the entry is bound, since its
        // wrapper runs.
        Prepared { function: unsafe { function_as(self.target) }, arguments: self.arguments, frame: PhantomData }
    }
}

/// A [`PendingCall`] whose real function was looked up: the code that uses it serves all entries of the same signature.
pub(super) struct Prepared<'call, A: Arguments, R> {
    function: A::Function<R>,
    arguments: A,
    frame: PhantomData<(&'call (), *const ())>,
}

impl<A: Arguments, R> Prepared<'_, A, R> {
    /// The program's arguments.
    #[inline(always)]
    pub(super) fn arguments(&self) -> A {
        self.arguments
    }

    /// Calls the function as the program does.
    #[inline(always)]
    pub(super) fn go_on(self) -> R {
        // SAFETY: `prepare` consumed a call, and this consumes its result: the program makes this very call, once.
        unsafe { self.arguments.pass_to(self.function) }
    }
}

/// Entry `E` of the first instance, with these arguments and that result.
pub(super) struct OfFirst<const E: usize, A, R>(PhantomData<fn(A) -> R>);

impl<const E: usize, A, R> OfFirst<E, A, R> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<const E: usize, A, R> Clone for OfFirst<E, A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const E: usize, A, R> Copy for OfFirst<E, A, R> {}

impl<const E: usize, A: Arguments, R> Target for OfFirst<E, A, R> {
    type Instance = First;
    type Arguments = A;
    type Result = R;

    #[inline(always)]
    fn instance(self) -> First {
        First
    }

    #[inline(always)]
    fn entry(self) -> usize {
        E
    }

    #[inline(always)]
    fn facts(self) -> EntryFacts {
        const { of(E) }
    }

    #[inline(always)]
    fn word(self) -> Option<&'static AtomicPtr<()>> {
        None
    }
}

/// An entry of another instance: the address of its word that holds the real function.
pub(super) struct OfOther<A, R>(&'static AtomicPtr<()>, PhantomData<fn(A) -> R>);

impl<A, R> OfOther<A, R> {
    /// The entry whose word is at this address.
    ///
    /// # Safety
    /// It is the address of an instance's word with the real function of an entry that has these arguments and that result.
    #[inline(always)]
    pub(super) unsafe fn new(word: usize) -> Self {
        // SAFETY: by this function's `# Safety` there is such a word, in a static instance.
        Self(unsafe { &*with_exposed_provenance(word) }, PhantomData)
    }

    #[inline(always)]
    fn address(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }
}

impl<A, R> Clone for OfOther<A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R> Copy for OfOther<A, R> {}

impl<A: Arguments, R> Target for OfOther<A, R> {
    type Instance = Other;
    type Arguments = A;
    type Result = R;

    #[inline(always)]
    fn instance(self) -> Other {
        // SAFETY: the word belongs to an instance (`new`). All instances are static, and at multiples of their size, which is
        // `RUNTIME_SIZE`.
        Other(unsafe { &*with_exposed_provenance(self.address() & !(RUNTIME_SIZE - 1)) })
    }

    #[inline(always)]
    fn entry(self) -> usize {
        (self.address() - std::ptr::from_ref(self.instance().0).addr() - REAL) / 8
    }

    #[inline(always)]
    fn facts(self) -> EntryFacts {
        FACTS.get(self.entry()).copied().unwrap_or(const { of(0) })
    }

    #[inline(always)]
    fn word(self) -> Option<&'static AtomicPtr<()>> {
        Some(self.0)
    }
}
