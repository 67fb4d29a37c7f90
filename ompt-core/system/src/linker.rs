//! Queries to the dynamic linker that leave no message for the program's next call of `dlerror`.
//!
//! The linker allocates that message by the process's `malloc`; an interposed one may not be ready while libraries are
//! being loaded. So the linker is asked only for names that some object defines.
#![allow(unsafe_code)] // asks the dynamic linker

use crate::objects::{Image, any_object, count_at_start};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The scope of a search for a name. A search takes the linker's lock.
#[derive(Clone, Copy, Debug)]
pub enum Scope {
    /// In the global scope, from the executable on.
    Default,
    /// In the global scope, after this library.
    Next,
}

impl Scope {
    /// The first symbol of this name in the scope.
    pub fn symbol(self, name: &CStr) -> Option<*mut c_void> {
        if !self.may_have(name) {
            return None;
        }
        // SAFETY: `name` is a C string, and `handle` gives a pseudo-handle of the linker (dlsym(3)).
        found(unsafe { libc::dlsym(self.handle(), name.as_ptr()) })
    }

    /// The first symbol of this name and version in the scope.
    pub fn versioned_symbol(self, name: &CStr, version: &CStr) -> Option<*mut c_void> {
        if !self.may_have(name) {
            return None;
        }
        // SAFETY: both are C strings, and `handle` gives a pseudo-handle of the linker (dlvsym(3)).
        found(unsafe { libc::dlvsym(self.handle(), name.as_ptr(), version.as_ptr()) })
    }

    /// False if no object of the scope defines the name. A static program doesn't have objects to check.
    fn may_have(self, name: &CStr) -> bool {
        /// The object after this library in which the last name was found: it usually defines the next one as well.
        static LAST: AtomicUsize = AtomicUsize::new(usize::MAX);
        let last = LAST.load(Relaxed);
        if any_object(&mut |object| object.base() == last && object.defines(name)) {
            return true;
        }
        let own = found as *const () as usize;
        let (mut index, mut here, mut before) = (0, None, false);
        let behind = any_object(&mut |object| {
            if here.is_none() && object.contains(own) {
                here = Some((index, object.defines(name)));
            } else if object.defines(name) {
                before |= here.is_none();
                if here.is_some() {
                    LAST.store(object.base(), Relaxed);
                    return true;
                }
            }
            index += 1;
            false
        });
        match (self, here) {
            (_, None) => true,
            (Self::Default, Some((_, own))) => before || own || behind,
            // A library that was opened later has objects in its scope that were there before.
            (Self::Next, Some((here, _))) => behind || before && here >= count_at_start(),
        }
    }

    fn handle(self) -> *mut c_void {
        match self {
            Self::Default => libc::RTLD_DEFAULT,
            Self::Next => libc::RTLD_NEXT,
        }
    }
}

fn found(pointer: *mut c_void) -> Option<*mut c_void> {
    if pointer.is_null() {
        // SAFETY: takes nothing; the message, which the next call overwrites, is not used (dlerror(3)).
        unsafe { libc::dlerror() };
    }
    (!pointer.is_null()).then_some(pointer)
}

/// An object that is loaded: the executable, or a library.
#[repr(C)] // as in the linker's own list
#[derive(Clone, Copy, Debug)]
pub struct LoadedObject {
    pub(crate) base: usize,
    /// The linker's name for it.
    pub(crate) name: *const c_char,
}

impl LoadedObject {
    /// The object that has this address.
    #[allow(clippy::not_unsafe_ptr_arg_deref)] // it is only compared
    pub fn of(address: *const c_void) -> Option<Self> {
        let mut info = libc::Dl_info {
            dli_fname: null_mut(),
            dli_fbase: null_mut(),
            dli_sname: null_mut(),
            dli_saddr: null_mut(),
        };
        // SAFETY: any address may be asked about; `info` may be written (dladdr(3)).
        let is_known = unsafe { libc::dladdr(address, &raw mut info) } != 0;
        is_known.then_some(Self { base: info.dli_fbase as usize, name: info.dli_fname })
    }

    /// The object of a loaded image.
    pub(crate) fn of_image(image: &Image) -> Self {
        Self { base: image.base(), name: image.name().as_ptr() }
    }

    /// The address at which the object starts.
    pub fn base(&self) -> usize {
        self.base
    }

    /// The linker's name for the object: usually its path. Valid for as long as the object is loaded.
    pub fn name(&self) -> &[u8] {
        if self.name.is_null() {
            return b"";
        }
        // SAFETY: not null, so `dladdr` gave it: a C string that stays while the object is loaded (dladdr(3)).
        unsafe { CStr::from_ptr(self.name) }.to_bytes()
    }

    /// Adds a reference to the object, which keeps it loaded until the result is dropped. `how` may pin it for ever
    /// (`RTLD_NODELETE`) or add it to the global scope (`RTLD_GLOBAL`). The linker may first run constructors of the
    /// object that are still pending.
    pub fn hold(&self, how: c_int) -> Option<Held> {
        // SAFETY: `name` is null or a C string from `dladdr`, of an object that is loaded: RTLD_NOLOAD loads nothing
        // (dlopen(3)).
        found(unsafe { libc::dlopen(self.name, libc::RTLD_LAZY | libc::RTLD_NOLOAD | how) }).map(Held)
    }
}

/// A reference to a loaded object, which stays loaded for as long as this lives.
#[derive(Debug)]
pub struct Held(*mut c_void);

impl Held {
    /// Loads a library. If that fails, the linker's message is left for the next `dlerror`.
    pub fn open(path: &CStr) -> Option<Self> {
        // SAFETY: a C string; the user has chosen the library and its constructors.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
        if handle.is_null() { None } else { Some(Self(handle)) }
    }

    /// Loads a library into the global scope, and binds all its functions. A failure leaves no message.
    pub fn open_for_all(path: &CStr) -> Option<Self> {
        // SAFETY: a C string; the program needs the library and its constructors (dlopen(3)).
        found(unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) }).map(Self)
    }

    /// The first symbol of this name in the object, or in the objects that it needs.
    pub fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: a C string; the handle is from `dlopen`, and `drop` closes it (dlsym(3)).
        found(unsafe { libc::dlsym(self.0, name.as_ptr()) })
    }

    /// Leaves the object loaded for ever.
    pub fn stays(self) {
        std::mem::forget(self);
    }
}

impl Drop for Held {
    // Inlined, so that the compiler sees that it doesn't unwind.
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the handle is from `dlopen`, in `hold` or `open`, and is closed once (dlclose(3)).
        unsafe { libc::dlclose(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_leaves_no_message() {
        assert!(Scope::Default.symbol(c"there_is_no_such_symbol").is_none());
        assert!(Scope::Default.versioned_symbol(c"getpid", c"NONE_1.0").is_none());
        // SAFETY: takes nothing.
        assert!(unsafe { libc::dlerror() }.is_null());
    }

    #[test]
    fn a_library_is_known_by_its_functions() {
        let library = LoadedObject::of(libc::getpid as *const c_void).unwrap();
        assert!(library.name().windows(7).any(|part| part == b"libc.so"), "{library:?}");
        let held = library.hold(0).unwrap();
        assert_eq!(held.symbol(c"getpid"), Scope::Next.symbol(c"getpid"));
        assert!(LoadedObject::of(std::ptr::null()).is_none());
    }
}
