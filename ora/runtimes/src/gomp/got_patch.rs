//! GOT patching: rewrites the addresses that the dynamic linker has written into objects. The unversioned exported names also catch calls
//! that are meant for a libgomp other than that of the global scope, or for another symbol version.

use super::entry::{Code, calls_openmp, symbol};
use super::lookup_scope::{Loaded, Scope};
use super::names::{EXPORTED, SLOTS};
use super::routines::{Unbound, unbound_query};
use super::runtime::Runtimes;
use std::sync::atomic::Ordering::*;
use system::objects::{Import, Object, any_object};

/// A call that came in through an unbound slot.
#[derive(Clone, Copy)]
pub(super) struct UnboundCall {
    pub(super) entry: usize,
    /// The call's return address, or that of the caller's own call: gcc emits tail calls.
    pub(super) return_address: usize,
    /// The function of a region or task, at least if the entry takes one.
    pub(super) first_argument: usize,
}

/// Candidate targets of a call, from the most reliable evidence on.
#[derive(Clone, Copy, Default)]
pub(super) struct Candidates {
    /// The libgomp of the object that contains the function in the first argument.
    function: Option<Code>,
    /// The libgomp to which the object at the return address was patched just now.
    fresh_return: Option<Code>,
    /// The only libgomp to which objects were patched just now.
    fresh: Option<Code>,
    disputed: bool,
    /// The libgomp of the object at the return address, or the libgomp that itself contains that address.
    returns: Option<Code>,
    /// The libgomp of any object.
    some: Option<Code>,
}

/// Patches objects that import locks of version OMP_1.0 to call the entries for these: such locks have different sizes.
pub(super) fn old_locks(runtimes: &Runtimes) {
    let first = runtimes.first();
    any_object(&mut |object| {
        object.imports(calls_openmp, &mut |import| {
            // Before the first use, the slots of bound entries are still closed.
            let is_known = |entry: usize| first.target(entry).or_else(|| first.address(entry)).is_some();
            if let Some(old) = entry_of(&import).filter(|entry| *entry >= EXPORTED && is_known(*entry)) {
                write(runtimes, &object, &import, first.trampoline(old));
            }
        });
        false
    });
}

/// Patches every object to the instance of the libgomp that already serves it: this library was loaded after that libgomp. Called within
/// `objects::locked`.
pub(super) fn take_over(runtimes: &'static Runtimes, loaded: &mut Loaded<'_>) {
    let libgomps = loaded.all_libgomps();
    loaded.each_user(&mut |object, scope| {
        let user = User::of(runtimes, object, scope, &libgomps);
        object.imports(calls_openmp, &mut |import| {
            let Some(entry) = entry_of(&import) else { return };
            let now = import.word().load(Relaxed);
            let bound = libgomps.iter().flatten().find(|libgomp| libgomp.contains(now));
            // Lazily bound imports will be bound like the object's other imports.
            let rest = || user.known.as_ref().or_else(|| scope.libgomps().next());
            let libgomp = bound.or_else(|| object.contains(now).then(rest).flatten());
            if let Some(trampoline) = libgomp.and_then(|libgomp| link(runtimes, libgomp, entry)) {
                import.redirect(object, trampoline.0);
            }
        });
    });
}

/// An object, and the libgomp to which its calls are bound.
struct User<'a> {
    runtimes: &'static Runtimes,
    object: &'a Object,
    scope: &'a Scope,
    /// The libgomp to which the dynamic linker has bound a call of a function that this library does not export: all other calls also go
    /// there.
    known: Option<Object>,
}

/// Doubt about the libgomp that serves the caller: a libgomp that was added to the global scope would precede the
/// caller's own.
#[derive(Clone, Copy)]
pub(super) enum Doubt {
    None,
    /// The caller's libgomp is known once this routine is bound.
    Bind(Unbound),
    /// Nothing shows it.
    Open,
}

/// Determines the doubt about a call. Called within `objects::locked`.
pub(super) fn doubt(runtimes: &'static Runtimes, loaded: &mut Loaded<'_>, call: UnboundCall) -> Doubt {
    let libgomps = loaded.all_libgomps();
    let (mut open, mut caller) = (false, None);
    if libgomps.iter().flatten().count() > 1 {
        loaded.each_user(&mut |object, scope| {
            if call.concerns(object, scope) {
                let user = User::of(runtimes, object, scope, &libgomps);
                open |= user.known.is_none() && user.calls_us(None);
                if object.has_code(call.first_argument)
                    || object.contains(call.return_address) && user.calls_us(Some(call.entry))
                {
                    caller = Some(if user.known.is_some() { Doubt::None } else { user.unbound_query() });
                }
            }
        });
    }
    caller.unwrap_or(if open { Doubt::Open } else { Doubt::None })
}

/// Patches every object whose calls are not for the first instance to its libgomp's instance, and returns the candidate targets of the call
/// at hand. `global` is the libgomp that was added to the global scope, if there is one and the linker was queried. Without a query,
/// objects that may use it stay as they are until they make a call. Called within `objects::locked`.
pub(super) fn all(
    runtimes: &'static Runtimes,
    loaded: &mut Loaded<'_>,
    global: Option<Option<Object>>,
    call: UnboundCall,
) -> Candidates {
    let mut candidates = Candidates::default();
    for libgomp in loaded.libgomps().filter(|libgomp| libgomp.contains(call.return_address)) {
        candidates.returns = link(runtimes, libgomp, call.entry);
    }
    let libgomps = loaded.all_libgomps();
    let several = libgomps.iter().flatten().count() > 1;
    loaded.each_user(&mut |object, scope| {
        if !call.concerns(object, scope) {
            return;
        }
        let mut user = User::of(runtimes, object, scope, &libgomps);
        if several && global.is_none() && user.known.is_none() {
            return;
        }
        user.known = user.known.or(global.flatten());
        let fresh = user.relink(call.entry);
        candidates.add(object, user.resolve(user.meant(call.entry)), fresh, call);
    });
    candidates
}

impl UnboundCall {
    /// True if the object has to be patched now: it needs a libgomp, or seems to be the caller.
    fn concerns(&self, object: &Object, scope: &Scope) -> bool {
        scope.libgomps().next().is_some()
            || object.contains(self.return_address)
            || object.has_code(self.first_argument)
    }
}

impl Candidates {
    fn add(&mut self, object: &Object, target: Option<Code>, fresh: bool, call: UnboundCall) {
        let Some(target) = target else { return };
        if object.has_code(call.first_argument) {
            self.function = Some(target);
        }
        if object.contains(call.return_address) {
            self.returns = Some(target);
            self.fresh_return = self.fresh_return.or(fresh.then_some(target));
        }
        if fresh {
            self.disputed |= self.fresh.is_some_and(|other| !std::ptr::addr_eq(other.0, target.0));
            self.fresh = Some(target);
        }
        self.some = self.some.or(Some(target));
    }

    /// Target of the call, if the objects determine it.
    pub(super) fn certain(&self) -> Option<Code> {
        self.function.or(self.fresh_return).or(self.fresh.filter(|_| !self.disputed)).or(self.returns)
    }

    /// Best guess of the target.
    pub(super) fn guess(&self) -> Option<Code> {
        self.some
    }
}

/// Entry that an import refers to.
fn entry_of(import: &Import<'_>) -> Option<usize> {
    let is_it = |entry: &usize| symbol(*entry).is_some_and(|(own, _)| own == import.name);
    let old = (EXPORTED..SLOTS).find(|e| symbol(*e).is_some_and(|(_, v)| v == import.version) && is_it(e));
    old.or_else(|| (0..EXPORTED).find(is_it))
}

impl<'a> User<'a> {
    fn of(runtimes: &'static Runtimes, object: &'a Object, scope: &'a Scope, libgomps: &[Option<Object>]) -> Self {
        let mut known = None;
        object.imports(calls_openmp, &mut |import| {
            if known.is_none() && entry_of(&import).is_none() {
                let address = import.word().load(Relaxed);
                known = libgomps.iter().flatten().find(|libgomp| libgomp.contains(address)).copied();
            }
        });
        Self { runtimes, object, scope, known }
    }

    /// True if calls, of one entry or of any, arrive at the first instance.
    fn calls_us(&self, entry: Option<usize>) -> bool {
        let mut calls = false;
        self.object.imports(calls_openmp, &mut |import| {
            calls |= self.runtimes.exports(import.word().load(Relaxed))
                && entry.and_then(symbol).is_none_or(|(name, _)| import.name == name);
        });
        calls
    }

    fn unbound_query(&self) -> Doubt {
        let mut doubt = Doubt::Open;
        self.object.imports(calls_openmp, &mut |import| {
            if let Some(unbound) = unbound_query(self.object, &import) {
                doubt = Doubt::Bind(unbound);
            }
        });
        doubt
    }

    /// Entry that the object means when it calls an exported name: it may need a different version.
    fn meant(&self, exported: usize) -> usize {
        let mut meant = exported;
        self.object.imports(calls_openmp, &mut |import| {
            if symbol(exported).is_some_and(|(name, _)| name == import.name) {
                meant = entry_of(&import).unwrap_or(exported);
            }
        });
        meant
    }

    /// The function that the dynamic linker would have found, as a trampoline of the libgomp's instance. `None` if that is the first
    /// instance.
    fn resolve(&self, entry: usize) -> Option<Code> {
        if self.runtimes.first().target(entry).is_some() {
            return None;
        }
        self.known.iter().chain(self.scope.libgomps()).find_map(|libgomp| link(self.runtimes, libgomp, entry))
    }

    /// Patches the object. True if its calls of the entry at hand arrived at the first instance until now.
    fn relink(&self, at_hand: usize) -> bool {
        let mut fresh = false;
        self.object.imports(calls_openmp, &mut |import| {
            let Some(entry) = entry_of(&import) else { return };
            if let Some(target) = self.resolve(entry) {
                let same = symbol(entry).map(|(name, _)| name) == symbol(at_hand).map(|(name, _)| name);
                fresh |= write(self.runtimes, self.object, &import, target) && same;
            }
        });
        fresh
    }
}

/// Trampoline of an entry of a libgomp; without an instance, its function.
fn link(runtimes: &'static Runtimes, libgomp: &Object, entry: usize) -> Option<Code> {
    let (name, version) = symbol(entry)?;
    let real = libgomp.function(name, version).map(Code)?;
    Some(runtimes.serving(libgomp).map_or(real, |runtime| runtime.trampoline(entry)))
}

/// Writes the function's address if the word holds an exported entry, or is still to be resolved at its first call.
fn write(runtimes: &Runtimes, object: &Object, import: &Import<'_>, function: Code) -> bool {
    let now = import.word().load(Relaxed);
    let ours = runtimes.exports(now);
    if !ours && !object.contains(now) {
        return false;
    }
    import.redirect(object, function.0) && ours
}
