//! Search for a tool (OpenMP 5.0, 4.2.2): by its `ompt_start_tool` in the program and its libraries, then in the
//! libraries of `OMP_TOOL_LIBRARIES`. The first one that doesn't decline is the tool.
#![allow(unsafe_code)] // calls the tool

use super::start_tool::{Found, START_TOOL, call, is_ours, start};
use super::verbose::Log;
use super::{foreign_runtime, libraries};
use crate::runtime_info::RuntimeInfo;
use crate::tool_log::Outcome;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;
use system::executable;
use system::global_scope::{self, MAX_DEFINITIONS};
use system::linker::LoadedObject;

/// The first tool that accepts.
pub(super) fn find(runtime_info: &RuntimeInfo, log: &Log) -> Option<Found> {
    let found = find_in_program(look(), runtime_info, log).or_else(|| libraries::find(runtime_info, log));
    if found.is_none() {
        log.ends(Outcome::None, b"no tool wants to start");
    }
    found
}

/// Calls `take` with every tool that accepts, for a runtime that calls one: those of the program and of all libraries
/// in `OMP_TOOL_LIBRARIES`. If there is none, the library that the runtime would have tried last.
pub(super) fn find_all(runtime_info: &RuntimeInfo, log: &Log, take: &mut dyn FnMut(Found)) {
    let found = Cell::new(0);
    let mut take = |tool: Found| {
        found.set(found.get() + 1);
        take(tool);
    };
    // The runtime itself would query the linker at this time.
    find_in_program(&All::now(), runtime_info, log).into_iter().for_each(&mut take);
    libraries::find_all(runtime_info, log, &mut take);
    if found.get() == 0 {
        libraries::start_archer(runtime_info, log).into_iter().for_each(&mut take);
    }
    if found.get() == 0 {
        log.ends(Outcome::None, b"no tool wants to start");
    }
}

/// The first tool in the program and its libraries that accepts.
fn find_in_program(all: &All, runtime_info: &RuntimeInfo, log: &Log) -> Option<Found> {
    if all.global().next().is_none() {
        log.say(&[b"ompt_start_tool in the program and its libraries: none"]);
    }
    let found = all.global().find_map(|address| {
        // The linker has the name, but its lock may be held by a thread that waits for this one.
        if log.is_wanted() {
            let library = LoadedObject::of(address).filter(|_| !executable::holds(address));
            log.say(&[b"ompt_start_tool in ", library.as_ref().map_or(b"the program", LoadedObject::name), b": there"]);
        }
        start(address, runtime_info, log)
    });
    let found = found.or_else(|| ask_runtime(all.runtimes()?, runtime_info, log));
    found.or_else(|| {
        let hidden = all.hidden();
        log.say(&[
            b"ompt_start_tool in the executable's symbol table",
            if hidden.is_some() { b": there" } else { b": none" },
        ]);
        start(hidden?, runtime_info, log)
    })
}

/// `ompt_start_tool` functions of the program's tools: those in the dynamic linker's global scope, in its order, and
/// the one of an executable that doesn't export its own.
#[derive(Clone, Copy)]
pub(super) struct All {
    global: [usize; MAX_DEFINITIONS],
    /// The function of a runtime that finds a tool which may be in the global scope.
    runtimes: usize,
    hidden: usize,
}

impl All {
    /// The functions that exist now. None of them is included twice, and none belongs to a runtime: LLVM's has its own,
    /// by which it looks for the next one.
    fn now() -> Self {
        let mut global = [0; MAX_DEFINITIONS];
        let functions = global_scope::functions(START_TOOL);
        let others = functions.known.iter().filter(|address| !address.is_null() && !is_ours(**address));
        let tools = others.clone().filter(|address| !foreign_runtime::has(**address));
        global.iter_mut().zip(tools).for_each(|(place, address)| *place = *address as usize);
        let mut runtimes = others
            .filter(|address| functions.unknown && global == [0; MAX_DEFINITIONS] && foreign_runtime::has(**address));
        let runtimes = runtimes.next().map_or(0, |address| *address as usize);
        let new = |address: &*const c_void| !global.contains(&(*address as usize)) && !foreign_runtime::has(*address);
        let hidden = executable::symbol(START_TOOL).filter(new).map_or(0, |address| address as usize);
        All { global, runtimes, hidden }
    }

    fn global(&self) -> impl Iterator<Item = *const c_void> {
        self.global.iter().take_while(|address| **address != 0).map(|address| *address as *const c_void)
    }

    fn runtimes(&self) -> Option<*const c_void> {
        Some(self.runtimes as *const c_void).filter(|address| !address.is_null())
    }

    fn hidden(&self) -> Option<*const c_void> {
        Some(self.hidden as *const c_void).filter(|address| !address.is_null())
    }
}

/// The functions that existed at the first lookup.
pub(super) fn look() -> &'static All {
    static FOUND: OnceLock<All> = OnceLock::new();
    FOUND.get_or_init(All::now)
}

/// The first tool of the program that accepts, for a runtime that asks.
pub(super) fn next(runtime_info: &RuntimeInfo, log: &Log) -> Option<Found> {
    find_in_program(&All::now(), runtime_info, log)
}

/// Asks the next tool by a runtime's own function, which finds the definition after the runtime in the global scope.
fn ask_runtime(function: *const c_void, runtime_info: &RuntimeInfo, log: &Log) -> Option<Found> {
    let found = call(function, runtime_info)?;
    // SAFETY: what a tool returns is valid until it is finalized (4.2.1).
    let initialize = unsafe { found.as_ref() }.initialize?;
    let tool = global_scope::function_beside(START_TOOL, initialize as *const c_void)?;
    log.asks(tool);
    log.say(&[b"the runtime finds a tool: it wants to start"]);
    Some(Found { result: found, function: tool })
}
