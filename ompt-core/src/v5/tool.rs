//! How a tool is found (OpenMP 5.0, 4.2.2): by its `ompt_start_tool` in the program and its libraries, then in the libraries
//! that `OMP_TOOL_LIBRARIES` names. The first one that doesn't decline is the tool.
#![allow(unsafe_code)] // calls the tool

use super::types::ompt_start_tool_result_t;
use super::verbose::Log;
use super::{door, libraries, rival};
use crate::about::About;
use crate::executable;
use crate::linker::{Object, Scope};
use crate::tool_log::Outcome;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::mem::transmute;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// What every tool defines (4.2.1).
pub(super) const START_TOOL: &CStr = c"ompt_start_tool";
type StartTool = unsafe extern "C-unwind" fn(c_uint, *const c_char) -> *mut ompt_start_tool_result_t;

/// A tool that wants to start.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// What its `ompt_start_tool` has returned.
    pub result: NonNull<ompt_start_tool_result_t>,
    /// That function.
    pub function: *const c_void,
}

/// Finds a tool that wants to start.
pub(super) fn find(about: &About, log: &Log) -> Option<Found> {
    let found = find_in_program(about, log).or_else(|| libraries::find(about, log));
    if found.is_none() {
        log.ends(Outcome::None, b"no tool wants to start");
    }
    found
}

/// Where a program's tools are, and what is said of each place.
const PLACES: [&[u8]; 3] = [b"the global scope", b"the libraries behind us", b"the executable's symbol table"];

/// Gives `take` every tool that wants to start, of a runtime that calls one: those of the program and of all libraries in
/// `OMP_TOOL_LIBRARIES`; if there is none, the library that the runtime would have tried in the end.
pub(super) fn find_all(about: &About, log: &Log, take: &mut dyn FnMut(Found)) {
    let found = Cell::new(0);
    let mut take = |tool: Found| {
        found.set(found.get() + 1);
        take(tool);
    };
    find_in_program(about, log).into_iter().for_each(&mut take);
    libraries::find_all(about, log, &mut take);
    if found.get() == 0 {
        libraries::start_archer(about, log).into_iter().for_each(&mut take);
    }
    if found.get() == 0 {
        log.ends(Outcome::None, b"no tool wants to start");
    }
}

pub(super) fn find_in_program(about: &About, log: &Log) -> Option<Found> {
    PLACES.into_iter().zip(look()).find_map(|(place, address)| {
        log.say(&[b"ompt_start_tool in ", place, if address.is_some() { b": there" } else { b": none" }]);
        start(address?, about, log)
    })
}

/// What is there at the first look: a library before us, or the executable; a library behind us; and an executable that doesn't
/// export what it has. None of them twice.
pub(super) fn look() -> [Option<*const c_void>; 3] {
    static FOUND: OnceLock<[usize; 3]> = OnceLock::new();
    let find = || {
        // LLVM's runtime has one of its own, by which it looks for the next.
        let others = |scope: Scope| {
            let found = scope.symbol(START_TOOL).map(<*mut c_void>::cast_const);
            found.filter(|address| !is_ours(*address) && !rival::has(*address))
        };
        let first = others(Scope::Default);
        let second = others(Scope::Next).filter(|address| Some(*address) != first);
        let new = |address: &*const c_void| ![first, second].contains(&Some(*address)) && !rival::has(*address);
        let hidden = executable::symbol(START_TOOL).filter(new);
        [first, second, hidden].map(|address| address.map_or(0, |address| address as usize))
    };
    FOUND.get_or_init(find).map(|address| Some(address as *const c_void).filter(|address| !address.is_null()))
}

/// Asks a tool to start.
pub(super) fn start(address: *const c_void, about: &About, log: &Log) -> Option<Found> {
    log.asks(address);
    // SAFETY: the standard reserves the name that this was found by for a function of this signature (4.2.1).
    let start = unsafe { transmute::<*const c_void, StartTool>(address) };
    // SAFETY: as above; the string lives for ever.
    let found = NonNull::new(door::asking(|| unsafe { start(about.openmp, about.runtime.as_ptr()) }));
    match found {
        Some(_) => log.say(&[b"it wants to start"]),
        None => log.ends(Outcome::Declined, b"it declines"),
    }
    found.map(|result| Found { result, function: address })
}

/// Whether the address lies in the library that this function is in. An executable that this is linked into may have a tool.
pub(super) fn is_ours(address: *const c_void) -> bool {
    let own = is_ours as *const c_void;
    !executable::holds(own) && base(address).is_some_and(|its| base(own) == Some(its))
}

fn base(address: *const c_void) -> Option<usize> {
    Object::of(address).map(|object| object.base)
}
