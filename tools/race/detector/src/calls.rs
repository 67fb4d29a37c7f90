//! Calls of the runtime that are observed before the runtime receives them: they show what OMPT doesn't report, or
//! reports later.
//!
//! This library is preloaded before `libora.so`, and exports these names. Each call is passed to [`look`] and then continues to
//! the next library that has the name, as if it came from the program itself.
#![allow(unsafe_code)] // exports the runtime's names, and reads the arguments of calls

use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};

use system::call_arguments::Arguments;
use system::linker::Scope;
use system::objects::any_object;

use crate::facts::NewTask;
use crate::fortran::{self, Access::*};
use crate::held::Kind;
use crate::mutex;
use crate::reductions;
use crate::sanitizer::is_first;
use crate::settings::settings;
use crate::task::flag;
use crate::teams;
use crate::thread::{self, Thread};

/// gcc's flags of tasks (`gomp-constants.h`).
const DEPEND: usize = 1 << 3;
const IF: usize = 1 << 10;
const REDUCTION: usize = 1 << 12;

/// Set once the detector is active.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Enables the observation of calls.
pub(crate) fn observe() {
    IS_ON.store(true, Relaxed);
    observe_numbers();
}

/// True once the detector is active.
pub(crate) fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// True if the program's calls arrive here: false if a library with the runtime's names comes first.
pub(crate) fn arrive() -> bool {
    is_first(c"GOMP_parallel")
}

macro_rules! calls {
    ($($name:ident $action:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)] // the runtime's names
        #[derive(Clone, Copy)]
        enum Name { $($name),* }

        /// Names, and the action at a call.
        static CALLS: &[(&CStr, fn(&'static Thread, Arguments))] = &[
            $((
                match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => c"",
                },
                $action,
            ),)*
        ];

        /// The next functions with these names; 0 for one that has not been called.
        static TARGETS: [AtomicUsize; [$(Name::$name),*].len()] = [$({ _ = Name::$name; AtomicUsize::new(0) }),*];

        $(
            system::observed_call! {
                #[doc = concat!("`", stringify!($name), "`: observed, then called.")]
                ///
                /// # Safety
                /// As required by the runtime's function of that name.
                #[unsafe(no_mangle)]
                #[allow(unreachable_pub, non_snake_case)] // exported by its name, not by its path
                pub fn $name, Name::$name as usize, look
            }
        )*
    };
}

calls! {
    GOMP_parallel |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_parallel_reductions parallel_reductions;
    GOMP_parallel_sections |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_parallel_loop_static |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_parallel_loop_dynamic |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_parallel_loop_guided |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_parallel_loop_runtime |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_parallel_loop_nonmonotonic_dynamic |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_parallel_loop_nonmonotonic_guided |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_parallel_loop_nonmonotonic_runtime |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_parallel_loop_maybe_nonmonotonic_runtime |thread, arguments| thread.facts.expect_region(arguments.get(0));
    GOMP_task task;
    GOMP_taskloop taskloop;
    GOMP_taskloop_ull taskloop;
    GOMP_taskgroup_reduction_register |_, arguments| reductions::register(arguments.get(0));
    GOMP_taskgroup_reduction_unregister |_, arguments| reductions::unregister(arguments.get(0));
    GOMP_workshare_task_reduction_unregister |_, _| reductions::unregister_innermost();
    GOMP_loop_start |_, arguments| reductions::register(arguments.get(7));
    GOMP_loop_ordered_start |_, arguments| reductions::register(arguments.get(7));
    GOMP_loop_doacross_start |_, arguments| reductions::register(arguments.get(6));
    GOMP_loop_ull_start |_, arguments| reductions::register(arguments.get(8));
    GOMP_loop_ull_ordered_start |_, arguments| reductions::register(arguments.get(8));
    GOMP_loop_ull_doacross_start |_, arguments| reductions::register(arguments.get(6));
    GOMP_sections2_start |_, arguments| reductions::register(arguments.get(1));
    GOMP_scope_start |_, arguments| reductions::register(arguments.get(0));
    GOMP_critical_end |thread, _| mutex::about_to_release(thread, Kind::Critical);
    GOMP_critical_name_end |thread, _| mutex::about_to_release(thread, Kind::Critical);
    GOMP_atomic_end |thread, _| mutex::about_to_release(thread, Kind::Atomic);
    GOMP_ordered_end |thread, _| mutex::about_to_release(thread, Kind::Ordered);
    omp_unset_lock |thread, arguments| mutex::about_to_release_lock(thread, Kind::Lock, arguments.get(0) as u64);
    omp_unset_lock_ |thread, arguments| mutex::about_to_release_lock(thread, Kind::Lock, arguments.get(0) as u64);
    omp_unset_nest_lock |thread, arguments| mutex::about_to_release_lock(thread, Kind::NestLock, arguments.get(0) as u64);
    omp_unset_nest_lock_ |thread, arguments| mutex::about_to_release_lock(thread, Kind::NestLock, arguments.get(0) as u64);
    GOMP_teams_reg teams;
    GOMP_target_ext |thread, arguments| thread.league.note_target(arguments.address());
    GOMP_teams4 teams_of_target;
    __tsan_atomic_thread_fence |thread, _| thread.note_flush();
    omp_get_thread_num |thread, _| asks_for_its_number(thread);
    omp_get_thread_num_ |thread, _| asks_for_its_number(thread);
    __kmpc_end_critical |thread, _| mutex::about_to_release(thread, Kind::Critical);
    __kmpc_end_ordered |thread, _| mutex::about_to_release(thread, Kind::Ordered);
    __kmpc_task_reduction_modifier_fini |thread, _| thread.task.get().into_iter().for_each(|task| task.mark(flag::WILL_COMBINE));
    __kmpc_omp_task_begin_if0 |thread, _| thread.facts.expect_included();
    _gfortran_transfer_integer |thread, arguments| transfer(thread, Write, arguments, arguments.get(2) & 0xff);
    _gfortran_transfer_integer_write |thread, arguments| transfer(thread, Read, arguments, arguments.get(2) & 0xff);
    _gfortran_transfer_logical |thread, arguments| transfer(thread, Write, arguments, arguments.get(2) & 0xff);
    _gfortran_transfer_logical_write |thread, arguments| transfer(thread, Read, arguments, arguments.get(2) & 0xff);
    _gfortran_transfer_real |thread, arguments| transfer(thread, Write, arguments, arguments.get(2) & 0xff);
    _gfortran_transfer_real_write |thread, arguments| transfer(thread, Read, arguments, arguments.get(2) & 0xff);
    _gfortran_transfer_complex |thread, arguments| transfer(thread, Write, arguments, 2 * (arguments.get(2) & 0xff));
    _gfortran_transfer_complex_write |thread, arguments| transfer(thread, Read, arguments, 2 * (arguments.get(2) & 0xff));
    _gfortran_transfer_character |thread, arguments| transfer(thread, Write, arguments, arguments.get(2));
    _gfortran_transfer_character_write |thread, arguments| transfer(thread, Read, arguments, arguments.get(2));
    _gfortran_transfer_character_wide |thread, arguments| transfer(thread, Write, arguments, arguments.get(2).wrapping_mul(arguments.get(3) & 0xff));
    _gfortran_transfer_character_wide_write |thread, arguments| transfer(thread, Read, arguments, arguments.get(2).wrapping_mul(arguments.get(3) & 0xff));
    _gfortran_transfer_array |thread, arguments| transfer_array(thread, Write, arguments);
    _gfortran_transfer_array_write |thread, arguments| transfer_array(thread, Read, arguments);
}

/// `GOMP_task (function, data, copy function, size, alignment, if clause, flags, ...)`.
fn task(thread: &'static Thread, arguments: Arguments) {
    let included = arguments.get(5) & 0xff == 0;
    let new = NewTask {
        function: arguments.get(0),
        block: [arguments.get(1), arguments.get(3)],
        included,
        is_taskloop: false,
    };
    let waits = included && arguments.get(6) & DEPEND != 0;
    thread.task.get().inspect(|task| task.creations.begin(arguments.returns_to(), new, waits));
}

/// `GOMP_taskloop (function, data, copy function, size, alignment, flags, ...)`.
fn taskloop(thread: &'static Thread, arguments: Arguments) {
    let new = NewTask {
        function: arguments.get(0),
        block: [arguments.get(1), arguments.get(3)],
        included: arguments.get(5) & IF == 0,
        is_taskloop: true,
    };
    thread.task.get().inspect(|task| task.creations.begin(arguments.returns_to(), new, false));
    if arguments.get(5) & REDUCTION != 0 {
        // The address of the array follows the first and the last iteration. SAFETY: libgomp reads the data of such a
        // construct in this way (taskloop.c); its iterations have eight bytes each.
        reductions::register(unsafe {
            std::ptr::with_exposed_provenance::<usize>(new.block[0]).wrapping_add(2).read()
        });
    }
}

/// `GOMP_parallel_reductions (function, data, ...)`.
fn parallel_reductions(thread: &'static Thread, arguments: Arguments) {
    thread.facts.expect_region(arguments.get(0));
    // SAFETY: the data of such a region start with the address of the array (libgomp's parallel.c).
    reductions::register(unsafe { std::ptr::with_exposed_provenance::<usize>(arguments.get(1)).read() });
}

/// `_gfortran_transfer_integer (parameters, place, kind)` and the like.
fn transfer(thread: &Thread, access: fortran::Access, arguments: Arguments, size: usize) {
    if !is_forwarded(thread, access, arguments) {
        fortran::transfer(access, arguments.get(1), size, arguments.returns_to());
    }
}

/// `_gfortran_transfer_array (parameters, descriptor, kind, length)`.
fn transfer_array(thread: &Thread, access: fortran::Access, arguments: Arguments) {
    if !is_forwarded(thread, access, arguments) {
        // SAFETY: code generated by gfortran passes a descriptor here (libgfortran's transfer.c).
        unsafe { fortran::transfer_array(access, arguments.get(1), arguments.returns_to()) }
    }
}

/// True for a call at the end of a libgfortran function `..._write`: it jumps to the function without `_write`, which does the work
/// for both directions, and the program's call returns to the same place.
fn is_forwarded(thread: &Thread, access: fortran::Access, arguments: Arguments) -> bool {
    match access {
        Read => {
            thread.prints_for.store(arguments.returns_to(), Relaxed);
            false
        }
        Write => thread.prints_for.load(Relaxed) == arguments.returns_to(),
    }
}

/// `GOMP_teams_reg (function, data, ...)`.
fn teams(thread: &'static Thread, arguments: Arguments) {
    let [function, data] =
        teams::begin_with(&thread.league, arguments.get(0), arguments.get(1), arguments.returns_to());
    arguments.set(0, function);
    arguments.set(1, data);
}

/// `GOMP_teams4 (lower bound, upper bound of the number of teams, limit of threads, is it the first call)`.
fn teams_of_target(thread: &'static Thread, arguments: Arguments) {
    /// Bits of an `unsigned int`.
    const UNSIGNED: usize = 0xffff_ffff;
    let wanted = settings().teams;
    if wanted != 0 && arguments.get(1) & UNSIGNED == 0 {
        // The implementation may choose the number (OpenMP 5.1, 2.7); libgomp's choice of one hides all races between
        // teams.
        [0, 1].into_iter().for_each(|bound| arguments.set(bound, wanted as usize));
    }
    teams::step(&thread.league, thread, arguments.get(3) & 0xff != 0, arguments.returns_to());
}

/// The program asks for its thread's number, and may use it to access memory that belongs to the thread.
fn asks_for_its_number(thread: &Thread) {
    let Some(task) = thread.task.get() else { return };
    if !task.has(flag::EXPLICIT) {
        task.mark(flag::BY_NUMBER);
    }
    task.fiber.get().or_else(|| task.share.fiber.get()).inspect(|fiber| fiber.history.note_number());
}

/// Redirects calls of `omp_get_thread_num` here that `libora.so` has redirected to the runtime.
fn observe_numbers() {
    fn is_wanted(name: &CStr) -> bool {
        name == c"omp_get_thread_num" || name == c"omp_get_thread_num_"
    }
    any_object(&mut |object| {
        if !object.is_own() && !object.defines(c"omp_get_thread_num") {
            object.imports(is_wanted, &mut |import| {
                let entry = if import.name == c"omp_get_thread_num" { omp_get_thread_num } else { omp_get_thread_num_ };
                import.redirect(&object, entry as *const ());
            });
        }
        false
    });
}

/// Makes the runtime activate its tools now, by a call that does nothing: otherwise it does so in the observed call, whose
/// facts would be missed.
#[cold]
fn start_early() {
    static TRIED: AtomicBool = AtomicBool::new(false);
    if TRIED.swap(true, Relaxed) {
        return;
    }
    let function = |name| Scope::Next.symbol(name);
    let (Some(init), Some(destroy)) = (function(c"omp_init_lock"), function(c"omp_destroy_lock")) else { return };
    // Larger than a lock of any runtime.
    let mut lock = [0_u64; 8];
    for function in [init, destroy] {
        // SAFETY: `void omp_init_lock (omp_lock_t *)` and `void omp_destroy_lock (omp_lock_t *)` (omp.h).
        let function = unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*mut u64)>(function) };
        // SAFETY: the lock is our own memory, which is first initialised and then destroyed.
        unsafe { function(lock.as_mut_ptr()) };
    }
}

/// Observes a call, and returns the function that it is for.
unsafe extern "C" fn look(arguments: *mut usize, number: usize) -> usize {
    let Some((name, action)) = CALLS.get(number) else { return 0 };
    if !IS_ON.load(Relaxed) && name.to_bytes().starts_with(b"GOMP_") {
        start_early();
    }
    if IS_ON.load(Relaxed)
        && let Some(thread) = thread::known()
    {
        // SAFETY: called by an entry; each action reads arguments of the signature given next to it.
        action(thread, unsafe { Arguments::new(arguments) });
    }
    let Some(target) = TARGETS.get(number) else { return 0 };
    match target.load(Relaxed) {
        0 => {
            let found = Scope::Next.symbol(name).map_or(0, |function| function.expose_provenance());
            target.store(found, Relaxed);
            found
        }
        found => found,
    }
}
