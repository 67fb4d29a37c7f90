//! Foreign OMPT runtimes in the process. A tool of OpenMP 5 is left to them, since each of them calls the tool that it
//! finds, and a tool starts only once.

use super::start_tool::START_TOOL;
use std::ffi::c_void;
use std::sync::OnceLock;
use system::executable;
use system::linker::{LoadedObject, Scope};
use system::objects::{self, any_object};

/// File names of LLVM's and Intel's runtimes. A Python wheel may append a hash.
const NAMES: [&[u8]; 2] = [b"libomp", b"libiomp5"];

/// True if such a runtime is loaded for the program. A runtime that is needed only by tools, or by their libraries,
/// executes none of the program's regions.
pub(super) fn is_there() -> bool {
    let global = first_fork_call();
    any_object(&mut |object| is_runtime(&object, global) && !is_for_tools(&object, DEPTH))
}

/// True if such a runtime is in the process only because tools need it.
pub(super) fn is_for_tools_only() -> bool {
    let global = first_fork_call();
    any_object(&mut |object| is_runtime(&object, global)) && !is_there()
}

fn is_runtime(object: &objects::Object, fork_call: usize) -> bool {
    let [_, path, _] = object.names();
    fork_call != 0 && object.contains(fork_call) || path.is_some_and(|path| is_runtime_file(path.to_bytes()))
}

/// The depth to which dependencies (`DT_NEEDED`) are followed.
const DEPTH: u32 = 4;

/// True if all objects that need this one are tools, or are loaded for tools. An object that no other one needs belongs
/// to the program.
fn is_for_tools(object: &objects::Object, depth: u32) -> bool {
    let (mut tools, mut others) = (false, false);
    any_object(&mut |other| {
        if other.needed().any(|name| object.names().iter().flatten().any(|own| *own == name)) {
            let is_tool = [START_TOOL, c"ompt_initialize"].iter().any(|name| other.function(name, None).is_some());
            let is_executable = other.names().iter().all(Option::is_none);
            let for_tools = is_tool && !is_executable || depth > 0 && is_for_tools(&other, depth - 1);
            *(if for_tools { &mut tools } else { &mut others }) = true;
        }
        others
    });
    tools && !others
}

/// True if the global scope contained such a runtime at the first lookup.
pub(super) fn look() -> bool {
    first_fork_call() != 0
}

/// The address of `__kmpc_fork_call` in the global scope at the first lookup, or 0. Later the linker must not be
/// queried: its lock may be held by a thread that waits for this one.
fn first_fork_call() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| fork_call().map_or(0, |call| call as usize))
}

/// True if the address is in such a runtime.
pub(super) fn has(address: *const c_void) -> bool {
    // A runtime that is linked into the executable exports nothing.
    if executable::holds(address) && executable::symbol(c"__kmpc_fork_call").is_some() {
        return true;
    }
    let Some(object) = LoadedObject::of(address) else { return false };
    let global = fork_call().and_then(|call| LoadedObject::of(call));
    global.is_some_and(|its| its.base() == object.base()) || is_runtime_file(object.name())
}

/// The address of a function that only such runtimes define.
fn fork_call() -> Option<*mut c_void> {
    Scope::Default.symbol(c"__kmpc_fork_call")
}

fn is_runtime_file(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let rest = NAMES.iter().filter_map(|known| name.strip_prefix(*known));
    rest.into_iter().any(|rest| matches!(rest.first(), Some(b'.' | b'-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_known_by_their_names_and_nothing_else_is() {
        for path in ["/usr/lib/libomp.so.5", "libiomp5.so", "/x/torch.libs/libomp-a34b.so", "/y/libiomp5-3c.so.1"] {
            assert!(is_runtime_file(path.as_bytes()), "{path}");
        }
        for path in ["", "/usr/lib/libgomp.so.1", "/libomp.so/libm.so.6", "libompt-tool.so", "/z/libomptarget.so"] {
            assert!(!is_runtime_file(path.as_bytes()), "{path}");
        }
        assert!(!is_there());
    }
}
