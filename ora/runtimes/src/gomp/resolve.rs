//! Resolution of libgomp's real functions. A libgomp in the global scope serves every object of the process, as it would without this
//! library. A libgomp that a library brought along privately serves the objects that need it.

use super::dlsym_targets;
use super::entry::{Code, symbol};
use super::fallbacks::FALLBACKS;
use super::got_patch::{self, Candidates, Doubt, UnboundCall};
use super::lookup_scope::{self, is_libgomp};
use super::missing_runtime;
use super::names::{ENTRIES, Entry};
use super::runtime::Runtimes;
use ompt_core::first_use;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use system::errno::Errno;
use system::linker::{self, Scope};
use system::object_range;
use system::objects::{Object, any_object, generation, locked};

/// True if the process started with a runtime in its global scope.
static BOUND: AtomicBool = AtomicBool::new(false);

/// Binds the libgomp of the global scope, if it comes after this library there. If a libgomp precedes this library (a collector has loaded
/// it while the program ran), patches the program's GOT entries.
pub(super) fn load(runtimes: &'static Runtimes) {
    object_range::load();
    if bind_global(runtimes) {
        got_patch::old_locks(runtimes);
    } else if any_function(Entry::GOMP_barrier as usize).is_some() {
        first_use::skip();
        locked(&mut |_| {
            lookup_scope::look(&mut |loaded| got_patch::take_over(runtimes, loaded));
        });
    } else if missing_runtime::bring_runtime() && bind_global(runtimes) {
        got_patch::old_locks(runtimes);
    }
}

/// Resolves the target of a call that came through an unbound slot.
pub(super) fn late(runtimes: &'static Runtimes, call: UnboundCall) -> Code {
    let errno = Errno::save();
    let code = find(runtimes, call);
    errno.restore();
    code
}

/// True if the first call of an unbound slot found a libgomp in the process.
static LOADED_LATER: AtomicBool = AtomicBool::new(false);

/// True if the process has a libgomp that it did not start with, which may not be bound yet.
pub(super) fn is_loaded_later() -> bool {
    LOADED_LATER.load(Relaxed)
}

fn find(runtimes: &'static Runtimes, call: UnboundCall) -> Code {
    if first_use::is_awaited() && any_function(Entry::GOMP_barrier as usize).is_some() {
        LOADED_LATER.store(true, Relaxed);
    }
    first_use::handle();
    let first = runtimes.first();
    if !first_use::is_awaited() {
        first.open();
    }
    if let Some(target) = first.target(call.entry).or_else(|| first.address(call.entry)) {
        return target;
    }
    let in_region = || {
        let runtime = runtimes.all.iter().find(|runtime| runtime.in_parallel())?;
        runtime.address(call.entry).map(|_| runtime.trampoline(call.entry))
    };
    let loads = generation();
    if let Some(target) = dlsym_targets::known(call, loads) {
        return in_region().unwrap_or(target);
    }
    // Acquire: pairs with the store in `bind_global`.
    let mut global = if BOUND.load(Acquire) { Some(None) } else { added_to_the_global_scope(runtimes, call) };
    let mut candidates = lead(runtimes, call, global);
    if global.is_none() && candidates.is_none_or(|candidates| candidates.certain().is_none()) {
        // Probably a tool's callback. The lookup takes the linker's lock, whose holder may wait for this thread.
        if let Some(target) = in_region() {
            return target;
        }
        // Another libgomp was loaded meanwhile, or the caller can't be found. Tools also call lock routines, so only `GOMP_` functions
        // count.
        if symbol(call.entry).is_some_and(|(name, _)| name.to_bytes().starts_with(b"GOMP_")) {
            global = Some(ask(None));
            candidates = lead(runtimes, call, global);
        }
    }
    let any = || candidates.map_or_else(|| any_function(call.entry), |candidates| candidates.guess());
    let [fallback, ..] = &FALLBACKS;
    if let Some(certain) = candidates.and_then(|candidates| candidates.certain()) {
        return certain;
    }
    let target = any().unwrap_or(*FALLBACKS.get(call.entry).unwrap_or(fallback));
    dlsym_targets::keep(call, loads, target);
    in_region().unwrap_or(target)
}

/// Patches objects to their libgomps; `None` if the system refuses memory for the search.
fn lead(runtimes: &'static Runtimes, call: UnboundCall, global: Option<Option<usize>>) -> Option<Candidates> {
    let mut candidates = None;
    locked(&mut |_| {
        lookup_scope::look(&mut |loaded| {
            runtimes.forget_all_but(loaded.libgomps());
            let global = global.map(|base| loaded.libgomps().find(|libgomp| Some(libgomp.base()) == base).copied());
            candidates = Some(got_patch::all(runtimes, loaded, global, call));
        });
    });
    candidates
}

/// True if the process started with a libgomp.
pub(super) fn is_bound() -> bool {
    // Acquire: pairs with the store in `bind_global`; the real functions of the first instance are known after it.
    BOUND.load(Acquire)
}

/// True if the process started with a runtime that has libgomp's entry points but is not libgomp.
static FORWARDED: AtomicBool = AtomicBool::new(false);

/// True if exported entries lead to a runtime that reports events itself.
pub(super) fn is_forwarded() -> bool {
    FORWARDED.load(Relaxed)
}

/// True if the global scope has a runtime with libgomp's entry points.
fn bind_global(runtimes: &'static Runtimes) -> bool {
    if [Entry::GOMP_barrier, Entry::omp_set_lock].iter().all(|e| next(*e as usize).is_none()) {
        return false;
    }
    let runtime = runtimes.first();
    let default_symbol = |name| Scope::Default.symbol(name);
    let llvm = default_symbol(c"__kmpc_fork_call").and_then(|function| object_of(function));
    // LLVM's runtime also has these names, but not the behaviour that wrappers rely on. It reports events to tools
    // itself.
    let is_llvms = |function: Code| llvm.is_some() && object_of(function.0.cast()) == llvm;
    let before =
        default_symbol(c"GOMP_parallel").map(|function| Code(function.cast())).filter(|function| is_llvms(*function));
    let find =
        |entry| if before.is_some() { default(entry).filter(|function| is_llvms(*function)) } else { next(entry) };
    FORWARDED.store(find(Entry::GOMP_parallel as usize).is_some_and(is_llvms), Relaxed);
    for entry in 0..ENTRIES {
        match find(entry) {
            Some(real) if is_llvms(real) => runtime.forward(entry, real),
            Some(real) => runtime.bind(entry, real),
            None => {}
        }
    }
    // Release: pairs with the loads in `find` and `is_bound`; publishes the first instance's functions, which were bound above.
    BOUND.store(true, Release);
    if before.is_some() {
        // The program's calls don't come here at all.
        return true;
    }
    runtime.serves(next(Entry::GOMP_barrier as usize).and_then(|real| base_of(real.0 as usize)).unwrap_or(0));
    true
}

/// Base of the libgomp that was added to the global scope (`RTLD_GLOBAL`) after the process had started; `None` if it can't be the call's
/// target. The linker is queried only if that is in doubt, since it takes a lock whose holder may wait for this thread. A libgomp that is
/// found stays loaded, as the linker would keep it for the objects that it serves.
fn added_to_the_global_scope(runtimes: &'static Runtimes, call: UnboundCall) -> Option<Option<usize>> {
    let (loads, doubt) = doubt(runtimes, call);
    let (loads, doubt) = match doubt {
        Doubt::Bind(unbound) => {
            unbound.bind();
            self::doubt(runtimes, call)
        }
        doubt => (loads, doubt),
    };
    if matches!(doubt, Doubt::None) {
        return None;
    }
    Some(ask(Some(loads)))
}

/// Queries the linker, unless the result for the same generation `loads` of loaded objects is cached.
fn ask(loads: Option<u64>) -> Option<usize> {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    static FOUND: AtomicUsize = AtomicUsize::new(0);
    let loads = loads.unwrap_or_else(generation);
    // Acquire: pairs with the store of `ASKED` below; `FOUND` is that of the count, or newer.
    if ASKED.load(Acquire) != loads {
        let function = Scope::Next.symbol(c"GOMP_barrier");
        function.inspect(|function| keep(*function));
        FOUND.store(function.and_then(|function| base_of(function as usize)).unwrap_or(0), Relaxed);
        // Release: pairs with the load of `ASKED` above; publishes `FOUND`.
        ASKED.store(loads, Release);
    }
    Some(FOUND.load(Relaxed)).filter(|base| *base != 0)
}

fn doubt(runtimes: &'static Runtimes, call: UnboundCall) -> (u64, Doubt) {
    let (mut loads, mut doubt) = (0, Doubt::None);
    locked(&mut |now| {
        loads = now;
        lookup_scope::look(&mut |loaded| doubt = got_patch::doubt(runtimes, loaded, call));
    });
    (loads, doubt)
}

fn keep(function: *const c_void) {
    let _stays = linker::LoadedObject::of(function).and_then(|libgomp| libgomp.hold(libc::RTLD_NODELETE));
}

/// The entry in any libgomp, without considering symbol lookup scopes.
fn any_function(entry: usize) -> Option<Code> {
    let (name, version) = symbol(entry)?;
    let mut found = None;
    any_object(&mut |object| {
        found = if is_libgomp(&object) { object.function(name, version).map(Code) } else { None };
        found.is_some()
    });
    found
}

/// The function that the program would have got without this library.
fn next(entry: usize) -> Option<Code> {
    function(Scope::Next, entry)
}

/// The function that the program gets.
fn default(entry: usize) -> Option<Code> {
    function(Scope::Default, entry)
}

fn function(scope: Scope, entry: usize) -> Option<Code> {
    let (name, version) = symbol(entry)?;
    let address = match version {
        None => scope.symbol(name),
        Some(version) => scope.versioned_symbol(name, version),
    };
    address.map(|address| Code(address.cast()))
}

/// The start of the loaded object that contains an address.
fn object_of(address: *const c_void) -> Option<usize> {
    linker::LoadedObject::of(address).map(|object| object.base())
}

/// Base (`Object::base`) of the object that contains an address.
fn base_of(address: usize) -> Option<usize> {
    let mut base = None;
    any_object(&mut |object: Object| {
        base = object.contains(address).then(|| object.base());
        base.is_some()
    });
    base
}
