//! `POMP2_Set_lock` and the other lock functions, which instrumented code calls instead of the lock routines. They call those. If a runtime
//! adapter reports locks, that is all; otherwise the events are reported here.
#![allow(unsafe_code)] // naked functions; addresses become functions

use super::{fallback_locks, forward, mode, routines};
use crate::lock_routines::{Routine, Setting, Test, Testing, Unsetting, UnsettingNest, report_lifetime};
use ompt_core::event::Event;
use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use system::linker::Scope;

/// Targets of calls, in the order of the names below.
type Places = [AtomicPtr<()>; ROUTINES];

/// `NAME, POMP's name: the reporting function, our own routine for lack of another;`
macro_rules! locks {
    ($($routine:ident $name:ident: $reporting:expr, $own:expr;)*) => {
        /// The lock routines.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        enum Lock { $($routine,)* }

        const ROUTINES: usize = [$(stringify!($routine)),*].len();
        /// Names of the routines and of POMP's calls, each with a zero byte.
        const NAMES: [(&str, &str); ROUTINES] =
            [$((concat!(stringify!($routine), "\0"), concat!(stringify!($name), "\0"))),*];

        /// Targets of calls.
        static TARGETS: Places = [$(AtomicPtr::new(unbound::<{ Lock::$routine as usize }> as *mut ())),*];
        /// Targets before the first call.
        const UNBOUND: [Test; ROUTINES] = [$(unbound::<{ Lock::$routine as usize }>),*];
        /// The real routines.
        static REAL: Places = [const { AtomicPtr::new(null_mut()) }; ROUTINES];

        /// The reporting function of each routine.
        const REPORTING: [Test; ROUTINES] = [$($reporting),*];
        /// Our own routines.
        const OWN: [*const (); ROUTINES] = [$($own as *const ()),*];

        $(
            system::flagged_jump_through! {
                #[doc = concat!("Calls `", stringify!($routine), "`.")]
                ///
                /// # Safety
                /// The requirements of that routine.
                #[unsafe(no_mangle)]
                #[allow(unreachable_pub)] // exported by its name, not by its path
                pub fn $name, mode::MODE, mode::NOTED, "ora_thread", 16, TARGETS,
                8 * (Lock::$routine as usize)
            }
        )*
    };
}

const PLAIN: u8 = 0;
const NEST: u8 = 1;

locks! {
    omp_init_lock POMP2_Init_lock: init::<{ Lock::omp_init_lock as usize }, PLAIN>, fallback_locks::init;
    omp_destroy_lock POMP2_Destroy_lock: destroy::<{ Lock::omp_destroy_lock as usize }, PLAIN>, fallback_locks::destroy;
    omp_set_lock POMP2_Set_lock:
        set::<{ Lock::omp_set_lock as usize }, { Lock::omp_test_lock as usize }, PLAIN>, fallback_locks::set;
    omp_unset_lock POMP2_Unset_lock: unset::<{ Lock::omp_unset_lock as usize }>, fallback_locks::unset;
    omp_test_lock POMP2_Test_lock: test::<{ Lock::omp_test_lock as usize }, PLAIN>, fallback_locks::test;
    omp_init_nest_lock POMP2_Init_nest_lock: init::<{ Lock::omp_init_nest_lock as usize }, NEST>, fallback_locks::init_nest;
    omp_destroy_nest_lock POMP2_Destroy_nest_lock:
        destroy::<{ Lock::omp_destroy_nest_lock as usize }, NEST>, fallback_locks::destroy_nest;
    omp_set_nest_lock POMP2_Set_nest_lock:
        set::<{ Lock::omp_set_nest_lock as usize }, { Lock::omp_test_nest_lock as usize }, NEST>, fallback_locks::set_nest;
    omp_unset_nest_lock POMP2_Unset_nest_lock:
        unset_nest::<{ Lock::omp_unset_nest_lock as usize }, { Lock::omp_test_nest_lock as usize }>,
        fallback_locks::unset_nest;
    omp_test_nest_lock POMP2_Test_nest_lock: test::<{ Lock::omp_test_nest_lock as usize }, NEST>, fallback_locks::test_nest;
    omp_init_lock_ pomp2_init_lock_: init::<{ Lock::omp_init_lock_ as usize }, PLAIN>, fallback_locks::init;
    omp_destroy_lock_ pomp2_destroy_lock_: destroy::<{ Lock::omp_destroy_lock_ as usize }, PLAIN>, fallback_locks::destroy;
    omp_set_lock_ pomp2_set_lock_:
        set::<{ Lock::omp_set_lock_ as usize }, { Lock::omp_test_lock_ as usize }, PLAIN>, fallback_locks::set;
    omp_unset_lock_ pomp2_unset_lock_: unset::<{ Lock::omp_unset_lock_ as usize }>, fallback_locks::unset;
    omp_test_lock_ pomp2_test_lock_: test::<{ Lock::omp_test_lock_ as usize }, PLAIN>, fallback_locks::test;
    omp_init_nest_lock_ pomp2_init_nest_lock_:
        init::<{ Lock::omp_init_nest_lock_ as usize }, NEST>, fallback_locks::init_nest;
    omp_destroy_nest_lock_ pomp2_destroy_nest_lock_:
        destroy::<{ Lock::omp_destroy_nest_lock_ as usize }, NEST>, fallback_locks::destroy_nest;
    omp_set_nest_lock_ pomp2_set_nest_lock_:
        set::<{ Lock::omp_set_nest_lock_ as usize }, { Lock::omp_test_nest_lock_ as usize }, NEST>, fallback_locks::set_nest;
    omp_unset_nest_lock_ pomp2_unset_nest_lock_:
        unset_nest::<{ Lock::omp_unset_nest_lock_ as usize }, { Lock::omp_test_nest_lock_ as usize }>,
        fallback_locks::unset_nest;
    omp_test_nest_lock_ pomp2_test_nest_lock_:
        test::<{ Lock::omp_test_nest_lock_ as usize }, NEST>, fallback_locks::test_nest;
}

/// Finds the routines. Takes the dynamic linker's lock: called while the library is being loaded, if there is
/// instrumented code.
pub(super) fn look() {
    for (real, ((name, pomp), own)) in REAL.iter().zip(NAMES.iter().zip(OWN)) {
        // Release: pairs with the loads in `bind`; nothing but the address is published.
        real.store(in_other_library(pomp).or_else(|| find(name)).unwrap_or(own.cast_mut()), Release);
    }
}

/// The function of this name in another measurement library.
fn in_other_library(name: &'static str) -> Option<*mut ()> {
    if cfg!(feature = "linked") {
        return None;
    }
    Scope::Next.symbol(CStr::from_bytes_with_nul(name.as_bytes()).ok()?).map(<*mut c_void>::cast)
}

/// The real routine: the one that the program itself would call, or one in a runtime that is part of the program.
fn find(name: &'static str) -> Option<*mut ()> {
    let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
    if mode::place() == mode::ALONE {
        routines::find(name)
    } else {
        Scope::Default.symbol(name).map(<*mut c_void>::cast)
    }
}

/// Leads calls to the reporting functions, as no runtime adapter reports locks. Another measurement library's functions are called
/// unchanged.
pub(super) fn report() {
    if forward::is_on() {
        return;
    }
    if REAL.iter().any(|real| real.load(Relaxed).is_null()) {
        look();
    }
    for (target, reporting) in TARGETS.iter().zip(REPORTING) {
        // Release: publishes `REAL` to the functions of `REPORTING`; pairs with the load of `TARGETS` in `bind`, and with that of the jump
        // in the exported functions, which is a load-acquire.
        target.store(reporting as *mut (), Release);
    }
}

/// Target of the first call of a routine.
unsafe extern "C-unwind" fn unbound<const L: usize>(lock: usize) -> i32 {
    let target = bind(L);
    // SAFETY: the program passed `lock` to POMP's name of routine `L`, in the state that this routine requires (OpenMP 5.0, 3.3).
    unsafe { target(lock) }
}

/// Finds the routines, and leads later calls to them, or to the reporting functions. Returns the target for that routine.
#[cold]
#[inline(never)]
fn bind(lock: usize) -> Test {
    mode::note_use();
    // Acquire: pairs with the store in `look` on another thread.
    if REAL.iter().any(|real| real.load(Acquire).is_null()) {
        look();
    }
    if mode::is_alone() {
        report();
    }
    for ((target, real), unbound) in TARGETS.iter().zip(&REAL).zip(UNBOUND) {
        // A reporting function that was stored meanwhile stays. The load pairs with the store in `look`. Release of the exchange: pairs
        // with the load of `TARGETS` below; Acquire pairs with nothing, as the value that it replaces is the initial one.
        let _ = target.compare_exchange(unbound as *mut (), real.load(Acquire), AcqRel, Relaxed);
    }
    // Acquire: pairs with the store in `report` and with the compare-exchange above, on another thread.
    let target = TARGETS.get(lock).map_or(null_mut(), |target| target.load(Acquire));
    // SAFETY: not null: `TARGETS` started with `unbound` and got a function of `REPORTING` or of `REAL`, which `look` has filled. It takes
    // a lock's address. Its result is in a register, which callers of a routine without a result don't read (System V ABI, 3.2.3).
    unsafe { transmute(target) }
}

/// The routine with that number, which returns nothing.
fn routine<const L: usize>() -> Routine {
    #[allow(clippy::indexing_slicing)] // a wrong number does not compile
    let address = const { &REAL[L] }.load(Relaxed);
    // SAFETY: not null: the functions of `REPORTING` are called only through `TARGETS`, where `report` puts them after `look` has filled
    // `REAL`. Routines that return nothing take only a lock's address (OpenMP 5.0, 3.3.1 to 3.3.5).
    unsafe { transmute::<*mut (), Routine>(address) }
}

/// The routine with that number, which returns an int.
fn int_routine<const L: usize>() -> Test {
    #[allow(clippy::indexing_slicing)] // as above
    let address = const { &REAL[L] }.load(Relaxed);
    // SAFETY: not null, for the reason given in `routine`. `omp_test_lock` and its variants take a lock's address and return an
    // int (OpenMP 5.0, 3.3.6).
    unsafe { transmute::<*mut (), Test>(address) }
}

unsafe extern "C-unwind" fn init<const L: usize, const KIND: u8>(lock: usize) -> i32 {
    // SAFETY: the program passed `lock` to `POMP2_Init_lock` or a variant of it: an uninitialised lock (OpenMP 5.0, 3.3.1).
    unsafe { routine::<L>()(lock) };
    report_lifetime(Event::LockInit, KIND, lock);
    0
}

unsafe extern "C-unwind" fn destroy<const L: usize, const KIND: u8>(lock: usize) -> i32 {
    report_lifetime(Event::LockDestroy, KIND, lock);
    // SAFETY: the program passed `lock` to `POMP2_Destroy_lock` or a variant of it: an unlocked lock (OpenMP 5.0, 3.3.3).
    unsafe { routine::<L>()(lock) };
    0
}

unsafe extern "C-unwind" fn set<const L: usize, const T: usize, const KIND: u8>(lock: usize) -> i32 {
    // SAFETY: `L` sets and `T` tests locks of this kind (`locks!`); the program passed `lock` to `POMP2_Set_lock` or a variant
    // of it, so it is initialised (OpenMP 5.0, 3.3.4).
    unsafe { Setting::new(lock, int_routine::<T>(), routine::<L>()) }.set(KIND == NEST);
    0
}

unsafe extern "C-unwind" fn test<const L: usize, const KIND: u8>(lock: usize) -> i32 {
    // SAFETY: `L` tests locks of this kind (`locks!`); the program passed `lock` to `POMP2_Test_lock` or a variant of it, so it
    // is initialised (OpenMP 5.0, 3.3.6).
    unsafe { Testing::new(lock, int_routine::<L>()) }.test(KIND == NEST)
}

unsafe extern "C-unwind" fn unset<const L: usize>(lock: usize) -> i32 {
    // SAFETY: `L` unsets locks of this kind (`locks!`); the program passed `lock` to `POMP2_Unset_lock`, so its task owns it
    // (OpenMP 5.0, 3.3.5).
    unsafe { Unsetting::new(lock, routine::<L>()) }.unset();
    0
}

unsafe extern "C-unwind" fn unset_nest<const L: usize, const T: usize>(lock: usize) -> i32 {
    // SAFETY: `L` unsets and `T` tests nestable locks (`locks!`); the program passed `lock` to `POMP2_Unset_nest_lock`, so its
    // task owns it (OpenMP 5.0, 3.3.5).
    unsafe { UnsettingNest::new(lock, int_routine::<T>(), routine::<L>()) }.unset();
    0
}
