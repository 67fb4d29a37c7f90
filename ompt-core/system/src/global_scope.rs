//! The dynamic linker's global scope: the objects that the process started with, and those that were opened with
//! `RTLD_GLOBAL` since. `dlsym` finds the first definition there, and the first behind this library; this finds all.
//!
//! The linker keeps objects in the order of loading, in which those of the start come first, in the order of its
//! search.

use crate::linker::{self, Scope};
use crate::objects::{self, any_object};
use std::ffi::{CStr, c_void};
use std::ptr::null;

/// The largest number of definitions that are looked at.
pub const MOST: usize = 8;

/// The functions of one name in the global scope.
pub struct Functions {
    /// The functions that are there, in the order of the search; null behind the last one.
    pub known: [*const c_void; MOST],
    /// True if there is a function that may be there, or in the scope of some library only.
    pub unknown: bool,
}

/// Looks up the functions of this name.
pub fn functions(name: &CStr) -> Functions {
    let mut found = [(0, null()); MOST];
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
    // The linker may be asked only now: its lock is not to be taken in the look at its objects.
    let mut all = Functions { known: [null(); MOST], unknown: false };
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

/// True if the linker finds something of the function's object in the global scope. `None` where others before it
/// define all that the object exports.
fn was_made_global(function: *const c_void) -> Option<bool> {
    let owner = linker::Object::of(function)?;
    // It stays as long as its names are in use.
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
        let first = Scope::Default.symbol(name).and_then(|found| linker::Object::of(found));
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
