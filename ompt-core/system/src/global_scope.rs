//! The dynamic linker's global scope: the objects that the process started with, and those that were opened with
//! `RTLD_GLOBAL` since. `dlsym` finds only the first definition there, or the first one after this library; this module
//! finds all of them.
//!
//! The linker keeps objects in loading order. Those that the process started with come first, in search order.

use crate::linker::{self, Scope};
use crate::objects::{self, any_object};
use std::ffi::{CStr, c_void};
use std::ptr::null;

/// The largest number of definitions that are considered.
pub const MAX_DEFINITIONS: usize = 8;

/// The functions of one name in the global scope.
pub struct Functions {
    /// The functions that are certainly in the scope, in search order; null after the last one.
    pub known: [*const c_void; MAX_DEFINITIONS],
    /// True if there is another function that may be in the global scope, or only in the scope of some library.
    pub unknown: bool,
}

/// Looks up the functions of this name.
pub fn functions(name: &CStr) -> Functions {
    let mut found = [(0, null()); MAX_DEFINITIONS];
    let mut places = found.iter_mut();
    let mut index = 0;
    any_object(&mut |object| {
        if let Some(function) = object.function(name, None)
            && let Some(place) = places.next()
        {
            *place = (index, function.cast::<c_void>());
        }
        index += 1;
        false
    });
    // The linker is asked only now: its lock must not be taken while its objects are listed.
    let mut all = Functions { known: [null(); MAX_DEFINITIONS], unknown: false };
    let mut places = all.known.iter_mut();
    let first = [Scope::Default, Scope::Next].map(|scope| scope.symbol(name).map(<*mut c_void>::cast_const));
    for (index, function) in found.into_iter().filter(|(_, function)| !function.is_null()) {
        let is_known = first.contains(&Some(function)) || index < objects::count_at_start();
        match if is_known { Some(true) } else { was_made_global(function) } {
            Some(true) => _ = places.next().map(|place| *place = function),
            Some(false) => {}
            None => all.unknown = true,
        }
    }
    all
}

/// The function of this name in the object that has an address.
pub fn function_beside(name: &CStr, address: *const c_void) -> Option<*const c_void> {
    let mut found = None;
    any_object(&mut |object| {
        let is_it = object.contains(address as usize);
        if is_it {
            found = object.function(name, None);
        }
        is_it
    });
    found.map(<*const ()>::cast)
}

/// True if the linker finds a symbol of the function's object in the global scope. `None` if objects before it define
/// everything that the object exports.
fn was_made_global(function: *const c_void) -> Option<bool> {
    let owner = linker::LoadedObject::of(function)?;
    // Keeps the object loaded as long as its names are in use.
    let _held = owner.hold(0)?;
    let name = |position: usize| {
        let mut name = None;
        any_object(&mut |object| {
            let is_it = object.contains(function as usize);
            name = if is_it { object.exported_function(position) } else { None };
            is_it
        });
        name
    };
    for name in (0..).map_while(name) {
        let first = Scope::Default.symbol(name).and_then(|found| linker::LoadedObject::of(found));
        match first {
            None => return Some(false),
            Some(first) if first.base == owner.base => return Some(true),
            Some(_) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_is_there_from_the_start_and_its_functions_are_found() {
        let functions = functions(c"getpid");
        assert!(functions.known.contains(&Scope::Default.symbol(c"getpid").map_or(null(), <*mut c_void>::cast_const)));
        assert!(Scope::Default.symbol(c"getpid").is_some());
        assert_eq!(was_made_global(libc::getpid as *const c_void), Some(true));
        assert!(!functions.unknown);
    }
}
