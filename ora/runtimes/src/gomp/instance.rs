//! The libgomp that a call is for, as a type parameter of wrappers. [`First`], the libgomp that the process started with, is a
//! part of the wrappers' code. [`Other`] comes with each call.
#![allow(unsafe_code)] // addresses of code become functions

use super::arguments::Arguments;
use super::entry_facts::{EntryFacts, FACTS, of};
use super::exports::RUNTIMES;
use super::runtime::{REAL, Runtime};
use std::marker::PhantomData;
use std::mem::transmute_copy;
use std::ptr::with_exposed_provenance;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Selects a runtime instance.
///
/// The first instance is named only by functions that belong to no trait. Names in traits and their implementations count as
/// visible to other crates, and are then addressed through the GOT.
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

/// The instance with that number. The number is not computed where only the first is possible.
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

/// A call of an entry that a wrapper reports.
pub(super) trait Call: Copy {
    type Instance: Instance;
    type Arguments: Arguments;
    type Result;

    /// The libgomp that the call is for.
    fn instance(self) -> Self::Instance;

    /// The number of the entry.
    fn entry(self) -> usize;

    /// Facts that follow from the entry's name.
    fn facts(self) -> EntryFacts;

    /// The word with the address of the entry's real function, unless it is the first instance's.
    fn word(self) -> Option<&'static AtomicPtr<()>>;
}

/// The entry's real function, as one of another type.
///
/// # Safety
/// `F` is a function pointer type that fits the entry: it reads no other arguments of such a call.
#[inline(always)]
pub(super) unsafe fn function_as<F: Copy>(call: impl Call) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut ()>()) };
    let address = match call.word() {
        Some(word) => word.load(Relaxed),
        None => RUNTIMES.first().real_in_wrapper(call.entry()),
    };
    // SAFETY: not null: the entry is bound, since its wrapper runs. By this function's `# Safety` `F` fits it; the assertion
    // compares the sizes.
    unsafe { transmute_copy(&address) }
}

/// The entry's real function.
#[inline(always)]
pub(super) fn function<C: Call>(call: C) -> <C::Arguments as Arguments>::Function<C::Result> {
    // SAFETY: the function has the entry's signature, which is that of the call (`names.rs`).
    unsafe { function_as(call) }
}

/// Calls the entry's real function.
///
/// # Safety
/// The arguments are those of the program's call, or ones that libgomp may have in their place.
#[inline(always)]
pub(super) unsafe fn go_on<C: Call>(call: C, arguments: C::Arguments) -> C::Result {
    // SAFETY: the function may have the arguments by this function's `# Safety`.
    unsafe { arguments.pass_to(function(call)) }
}

/// A call of entry `E` of the first instance, with these arguments and that result.
pub(super) struct CallOfFirst<const E: usize, A, R>(PhantomData<fn(A) -> R>);

impl<const E: usize, A, R> CallOfFirst<E, A, R> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<const E: usize, A, R> Clone for CallOfFirst<E, A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const E: usize, A, R> Copy for CallOfFirst<E, A, R> {}

impl<const E: usize, A: Arguments, R> Call for CallOfFirst<E, A, R> {
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

/// A call of an entry of another instance: its word with the real function's address.
pub(super) struct CallOfOther<A, R>(&'static AtomicPtr<()>, PhantomData<fn(A) -> R>);

impl<A, R> CallOfOther<A, R> {
    /// The call that has come with this address.
    ///
    /// # Safety
    /// It is the address of an instance's word with the real function of an entry, with these arguments and that result.
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

impl<A, R> Clone for CallOfOther<A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R> Copy for CallOfOther<A, R> {}

impl<A: Arguments, R> Call for CallOfOther<A, R> {
    type Instance = Other;
    type Arguments = A;
    type Result = R;

    #[inline(always)]
    fn instance(self) -> Other {
        // SAFETY: the word is one of an instance's (`new`).
        Other(unsafe { Runtime::with_word(self.address()) })
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
