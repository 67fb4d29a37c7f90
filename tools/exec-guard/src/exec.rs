//! The functions of the exec family that a program calls. Each one calls the next definition with a suitable
//! environment.
//!
//! `execl`, `execle` and `execlp` take a variable number of arguments and bypass the guard, as do glibc's own calls in `system`
//! and `popen`, which start the shell.
#![allow(unsafe_code, unreachable_pub)] // exports functions with C's types under their C names

use crate::environment::{Environment, suited};
use crate::target::Target;
use crate::unwatched;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

type Arguments = *const *const c_char;
type Execute = unsafe extern "C" fn(*const c_char, Arguments, Environment) -> c_int;
type ExecuteFile = unsafe extern "C" fn(c_int, Arguments, Environment) -> c_int;
type ExecuteAt = unsafe extern "C" fn(c_int, *const c_char, Arguments, Environment, c_int) -> c_int;
type Spawn = unsafe extern "C" fn(
    *mut libc::pid_t,
    *const c_char,
    *const c_void,
    *const c_void,
    Arguments,
    Environment,
) -> c_int;

/// The definition that follows ours, looked up while the library is loaded.
struct Next(AtomicPtr<c_void>, &'static CStr);

impl Next {
    const fn new(name: &'static CStr) -> Self {
        Self(AtomicPtr::new(ptr::null_mut()), name)
    }

    fn find(&self) {
        // SAFETY: a C string; the handle denotes the objects that follow this one.
        self.0.store(unsafe { libc::dlsym(libc::RTLD_NEXT, self.1.as_ptr()) }, Relaxed);
    }

    /// The function; `None` if a constructor calls it before ours has run.
    ///
    /// # Safety
    /// `F` is the type of the C library's function of that name.
    unsafe fn get<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let mut function = self.0.load(Relaxed);
        if function.is_null() {
            self.find();
            function = self.0.load(Relaxed);
        }
        // SAFETY: not null; `F` is the type of the C library's function of that name, by this function's `# Safety`.
        (!function.is_null()).then(|| unsafe { ptr::from_ref(&function).cast::<F>().read() })
    }
}

static EXECVE: Next = Next::new(c"execve");
static EXECVPE: Next = Next::new(c"execvpe");
static FEXECVE: Next = Next::new(c"fexecve");
static EXECVEAT: Next = Next::new(c"execveat");
static POSIX_SPAWN: Next = Next::new(c"posix_spawn");
static POSIX_SPAWNP: Next = Next::new(c"posix_spawnp");

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = find_all;

extern "C" fn find_all() {
    [&EXECVE, &EXECVPE, &FEXECVE, &EXECVEAT, &POSIX_SPAWN, &POSIX_SPAWNP].into_iter().for_each(Next::find);
    unwatched::find();
}

unsafe extern "C" {
    /// The process's environment (environ(7)).
    static environ: Environment;
}

/// Return value of a function of the exec family that has no next definition, as with a C library that lacks it.
fn missing() -> c_int {
    // SAFETY: the function takes no arguments; errno's place exists as long as the calling thread (errno(3)).
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: errno's place may be written by its thread, which is this one (errno(3)).
    unsafe { *errno = libc::ENOSYS };
    -1
}

/// A C string that belongs to the program.
///
/// # Safety
/// The pointer is null or a C string that outlives the call.
unsafe fn text<'a>(path: *const c_char) -> &'a CStr {
    // SAFETY: not null, so a C string that outlives the call, by this function's `# Safety`.
    if path.is_null() { c"" } else { unsafe { CStr::from_ptr(path) } }
}

/// execve(2).
///
/// # Safety
/// As the function of that name asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execve(path: *const c_char, arguments: Arguments, environment: Environment) -> c_int {
    // SAFETY: `Execute` is the type of `execve` (execve(2)).
    let Some(next) = (unsafe { EXECVE.get::<Execute>() }) else { return missing() };
    let target = Target::Path(libc::AT_FDCWD, path);
    // SAFETY: `path` and `arguments` are as execve(2) asks for, by this function's `# Safety`; `suited` gives a C environment.
    let execute = |environment| unsafe { next(path, arguments, environment) };
    // SAFETY: `environment` is null or a C environment (execve(2)), by this function's `# Safety`.
    unsafe { suited(target, environment, execute) }
}

/// execv(3).
///
/// # Safety
/// As the function of that name asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execv(path: *const c_char, arguments: Arguments) -> c_int {
    // SAFETY: `environ` is the process's environment (environ(7)); `path` and `arguments` are as execv(3) asks for, by `#
    // Safety`.
    unsafe { execve(path, arguments, environ) }
}

/// execvpe(3).
///
/// # Safety
/// As the function of that name asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execvpe(name: *const c_char, arguments: Arguments, environment: Environment) -> c_int {
    // SAFETY: `Execute` is the type of `execvpe` (execvpe(3)).
    let Some(next) = (unsafe { EXECVPE.get::<Execute>() }) else { return missing() };
    // SAFETY: `name` is a C string (execvpe(3)), by this function's `# Safety`.
    let target = Target::Name(unsafe { text(name) });
    // SAFETY: `name` and `arguments` are as execvpe(3) asks for, by this function's `# Safety`; `suited` gives a C environment.
    let execute = |environment| unsafe { next(name, arguments, environment) };
    // SAFETY: `environment` is null or a C environment (execvpe(3)), by this function's `# Safety`.
    unsafe { suited(target, environment, execute) }
}

/// execvp(3).
///
/// # Safety
/// As the function of that name asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execvp(name: *const c_char, arguments: Arguments) -> c_int {
    // SAFETY: `environ` is the process's environment (environ(7)); `name` and `arguments` are as execvp(3) asks for, by `#
    // Safety`.
    unsafe { execvpe(name, arguments, environ) }
}

/// fexecve(3).
///
/// # Safety
/// As the function of that name asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fexecve(file: c_int, arguments: Arguments, environment: Environment) -> c_int {
    // SAFETY: `ExecuteFile` is the type of `fexecve` (fexecve(3)).
    let Some(next) = (unsafe { FEXECVE.get::<ExecuteFile>() }) else { return missing() };
    // SAFETY: `arguments` is as fexecve(3) asks for, by this function's `# Safety`; `suited` gives a C environment.
    let execute = |environment| unsafe { next(file, arguments, environment) };
    // SAFETY: `environment` is null or a C environment (fexecve(3)), by this function's `# Safety`.
    unsafe { suited(Target::File(file), environment, execute) }
}

/// execveat(2).
///
/// # Safety
/// As the function of that name asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execveat(
    folder: c_int,
    path: *const c_char,
    arguments: Arguments,
    environment: Environment,
    flags: c_int,
) -> c_int {
    // SAFETY: `ExecuteAt` is the type of `execveat` (execveat(2)).
    let Some(next) = (unsafe { EXECVEAT.get::<ExecuteAt>() }) else { return missing() };
    let may_be_file = flags & libc::AT_EMPTY_PATH != 0;
    let target = if may_be_file { Target::PathOrFile(folder, path) } else { Target::Path(folder, path) };
    // SAFETY: `path` and `arguments` are as execveat(2) asks for, by this function's `# Safety`; `suited` gives a C
    // environment.
    let execute = |environment| unsafe { next(folder, path, arguments, environment, flags) };
    // SAFETY: `environment` is null or a C environment (execveat(2)), by this function's `# Safety`.
    unsafe { suited(target, environment, execute) }
}

/// posix_spawn(3).
///
/// # Safety
/// As the function of that name asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_spawn(
    child: *mut libc::pid_t,
    path: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: Arguments,
    environment: Environment,
) -> c_int {
    // SAFETY: `Spawn` is the type of `posix_spawn` (posix_spawn(3)).
    let Some(next) = (unsafe { POSIX_SPAWN.get::<Spawn>() }) else { return libc::ENOSYS };
    let target = Target::Path(libc::AT_FDCWD, path);
    // SAFETY: all pointers are as posix_spawn(3) asks for, by this function's `# Safety`; `suited` gives a C environment.
    let execute = |environment| unsafe { next(child, path, actions, attributes, arguments, environment) };
    // SAFETY: `environment` is null or a C environment (posix_spawn(3)), by this function's `# Safety`.
    unsafe { suited(target, environment, execute) }
}

/// posix_spawnp(3).
///
/// # Safety
/// As the function of that name asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_spawnp(
    child: *mut libc::pid_t,
    name: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: Arguments,
    environment: Environment,
) -> c_int {
    // SAFETY: `Spawn` is the type of `posix_spawnp` (posix_spawn(3)).
    let Some(next) = (unsafe { POSIX_SPAWNP.get::<Spawn>() }) else { return libc::ENOSYS };
    // SAFETY: `name` is a C string (posix_spawn(3)), by this function's `# Safety`.
    let target = Target::Name(unsafe { text(name) });
    // SAFETY: all pointers are as posix_spawn(3) asks for, by this function's `# Safety`; `suited` gives a C environment.
    let execute = |environment| unsafe { next(child, name, actions, attributes, arguments, environment) };
    // SAFETY: `environment` is null or a C environment (posix_spawn(3)), by this function's `# Safety`.
    unsafe { suited(target, environment, execute) }
}
