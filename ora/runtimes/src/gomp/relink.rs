//! Rewrites addresses that the dynamic linker has put into objects, where our unversioned names caught calls that are not
//! for the libgomp of the global scope, or for another version.

use super::bank::Banks;
use super::entry::{Code, calls_openmp, symbol};
use super::names::{EXPORTED, SLOTS};
use super::scope::{Loaded, Scope};
use std::ffi::CStr;
use std::sync::atomic::Ordering::*;
use system::objects::{Import, Object, any_object};

/// A call that came in through an unbound slot.
#[derive(Clone, Copy)]
pub(super) struct Call {
    pub(super) entry: usize,
    /// May be that of the caller's caller: gcc emits tail calls.
    pub(super) return_address: usize,
    /// A region's or task's function, at least where the entry takes one.
    pub(super) first_argument: usize,
}

/// Where a call may go, from the surest sign on.
#[derive(Clone, Copy, Default)]
pub(super) struct Signs {
    /// Its first argument is a function of an object that uses this libgomp.
    function: Option<Code>,
    /// It returns to an object that was led to this libgomp just now.
    fresh_return: Option<Code>,
    /// Objects were led here just now, and nowhere else.
    fresh: Option<Code>,
    disputed: bool,
    /// It returns to an object that uses this libgomp, or to the libgomp itself.
    returns: Option<Code>,
    /// Some object uses this libgomp.
    some: Option<Code>,
}

/// Leads objects that ask for locks of version OMP_1.0 to entries for these: other locks have other sizes.
pub(super) fn old_locks(banks: &Banks) {
    let first = banks.first();
    any_object(&mut |object| {
        object.imports(calls_openmp, &mut |import| {
            // What is bound may go nowhere yet, before the first use.
            let is_known = |entry: usize| first.target(entry).or_else(|| first.address(entry)).is_some();
            if let Some(old) = entry_of(&import).filter(|entry| *entry >= EXPORTED && is_known(*entry)) {
                write(banks, &object, &import, first.stub(old));
            }
        });
        false
    });
}

/// Leads every object to the bank of the libgomp that serves it already: this library has come after it. While
/// `objects::locked` works.
pub(super) fn take_over(banks: &'static Banks, loaded: &mut Loaded<'_>) {
    let libgomps = loaded.all_libgomps();
    loaded.each_user(&mut |object, scope| {
        let user = User::of(banks, object, scope, &libgomps);
        object.imports(calls_openmp, &mut |import| {
            let Some(entry) = entry_of(&import) else { return };
            let now = import.word().load(Relaxed);
            let bound = libgomps.iter().flatten().find(|libgomp| libgomp.contains(now));
            // What is not bound yet will be bound as the rest is.
            let rest = || user.known.as_ref().or_else(|| scope.libgomps().next());
            let libgomp = bound.or_else(|| object.contains(now).then(rest).flatten());
            if let Some(stub) = libgomp.and_then(|libgomp| link(banks, libgomp, entry)) {
                import.redirect(object, stub.0);
            }
        });
    });
}

/// Where the calls of one object are bound to.
struct User<'a> {
    banks: &'static Banks,
    object: &'a Object,
    scope: &'a Scope,
    /// The libgomp that the dynamic linker has already bound a call to that isn't ours: all others go there, too.
    known: Option<Object>,
}

/// Where it isn't plain which libgomp serves the caller: one that was added to the global scope would come before its own.
#[derive(Clone, Copy)]
pub(super) enum Doubt {
    None,
    /// The caller tells, once this place is bound: that of a function without arguments, which returns a number.
    Bind(usize),
    /// Nobody tells.
    Open,
}

/// Whether there is a doubt about a call. While `objects::locked` works.
pub(super) fn doubt(banks: &'static Banks, loaded: &mut Loaded<'_>, call: Call) -> Doubt {
    let libgomps = loaded.all_libgomps();
    let (mut open, mut caller) = (false, None);
    if libgomps.iter().flatten().count() > 1 {
        loaded.each_user(&mut |object, scope| {
            if call.concerns(object, scope) {
                let user = User::of(banks, object, scope, &libgomps);
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

/// Leads every object whose calls are not for the first bank to its libgomp's bank, and says what that means for the call
/// at hand. `global`: the libgomp that was added to the global scope, or none, if somebody asked; otherwise objects that may
/// be its stay as they are, until they call. While `objects::locked` works.
pub(super) fn all(banks: &'static Banks, loaded: &mut Loaded<'_>, global: Option<Option<Object>>, call: Call) -> Signs {
    let mut signs = Signs::default();
    for libgomp in loaded.libgomps().filter(|libgomp| libgomp.contains(call.return_address)) {
        signs.returns = link(banks, libgomp, call.entry);
    }
    let libgomps = loaded.all_libgomps();
    let several = libgomps.iter().flatten().count() > 1;
    loaded.each_user(&mut |object, scope| {
        if !call.concerns(object, scope) {
            return;
        }
        let mut user = User::of(banks, object, scope, &libgomps);
        if several && global.is_none() && user.known.is_none() {
            return;
        }
        user.known = user.known.or(global.flatten());
        let fresh = user.relink(call.entry);
        signs.add(object, user.resolve(user.meant(call.entry)), fresh, call);
    });
    signs
}

impl Call {
    /// Whether it is time to lead the object elsewhere: it needs a libgomp, or seems to be the caller.
    fn concerns(&self, object: &Object, scope: &Scope) -> bool {
        scope.libgomps().next().is_some()
            || object.contains(self.return_address)
            || object.has_code(self.first_argument)
    }
}

impl Signs {
    fn add(&mut self, object: &Object, target: Option<Code>, fresh: bool, call: Call) {
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

    /// Where the call goes, if the objects tell.
    pub(super) fn told(&self) -> Option<Code> {
        self.function.or(self.fresh_return).or(self.fresh.filter(|_| !self.disputed)).or(self.returns)
    }

    /// Where it may go.
    pub(super) fn guess(&self) -> Option<Code> {
        self.some
    }
}

/// The entry that an import means.
fn entry_of(import: &Import<'_>) -> Option<usize> {
    let is_it = |entry: &usize| symbol(*entry).is_some_and(|(own, _)| own == import.name);
    let old = (EXPORTED..SLOTS).find(|e| symbol(*e).is_some_and(|(_, v)| v == import.version) && is_it(e));
    old.or_else(|| (0..EXPORTED).find(is_it))
}

impl<'a> User<'a> {
    fn of(banks: &'static Banks, object: &'a Object, scope: &'a Scope, libgomps: &[Option<Object>]) -> Self {
        let mut known = None;
        object.imports(calls_openmp, &mut |import| {
            if known.is_none() && entry_of(&import).is_none() {
                let address = import.word().load(Relaxed);
                known = libgomps.iter().flatten().find(|libgomp| libgomp.contains(address)).copied();
            }
        });
        Self { banks, object, scope, known }
    }

    /// Whether calls, of one entry or of any, come to the first bank.
    fn calls_us(&self, entry: Option<usize>) -> bool {
        let mut calls = false;
        self.object.imports(calls_openmp, &mut |import| {
            calls |= self.banks.exports(import.word().load(Relaxed))
                && entry.and_then(symbol).is_none_or(|(name, _)| import.name == name);
        });
        calls
    }

    fn unbound_query(&self) -> Doubt {
        const QUERIES: [&CStr; 5] = [
            c"omp_get_num_threads",
            c"omp_get_thread_num",
            c"omp_get_max_threads",
            c"omp_in_parallel",
            c"omp_get_num_procs",
        ];
        let mut doubt = Doubt::Open;
        self.object.imports(calls_openmp, &mut |import| {
            if QUERIES.contains(&import.name) && self.object.contains(import.word().load(Relaxed)) {
                doubt = Doubt::Bind(import.place as usize);
            }
        });
        doubt
    }

    /// The entry that the object means when it calls an exported name: it may want another version.
    fn meant(&self, exported: usize) -> usize {
        let mut meant = exported;
        self.object.imports(calls_openmp, &mut |import| {
            if symbol(exported).is_some_and(|(name, _)| name == import.name) {
                meant = entry_of(&import).unwrap_or(exported);
            }
        });
        meant
    }

    /// What the dynamic linker would have found, as a stub of the libgomp's bank. `None` where the first bank has it.
    fn resolve(&self, entry: usize) -> Option<Code> {
        if self.banks.first().target(entry).is_some() {
            return None;
        }
        self.known.iter().chain(self.scope.libgomps()).find_map(|libgomp| link(self.banks, libgomp, entry))
    }

    /// True if calls of the entry at hand came to the first bank until now.
    fn relink(&self, at_hand: usize) -> bool {
        let mut fresh = false;
        self.object.imports(calls_openmp, &mut |import| {
            let Some(entry) = entry_of(&import) else { return };
            if let Some(target) = self.resolve(entry) {
                let same = symbol(entry).map(|(name, _)| name) == symbol(at_hand).map(|(name, _)| name);
                fresh |= write(self.banks, self.object, &import, target) && same;
            }
        });
        fresh
    }
}

/// The stub for an entry of a libgomp; without a bank, its function.
fn link(banks: &'static Banks, libgomp: &Object, entry: usize) -> Option<Code> {
    let (name, version) = symbol(entry)?;
    let real = libgomp.function(name, version).map(Code)?;
    Some(banks.serving(libgomp).map_or(real, |bank| bank.stub(entry)))
}

/// Writes the function's address if the place holds an entry of ours, or is still to be resolved at its first call.
fn write(banks: &Banks, object: &Object, import: &Import<'_>, function: Code) -> bool {
    let now = import.word().load(Relaxed);
    let ours = banks.exports(now);
    if !ours && !object.contains(now) {
        return false;
    }
    import.redirect(object, function.0) && ours
}
