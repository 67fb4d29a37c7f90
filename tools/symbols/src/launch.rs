//! Construct of an outlined function, from the function that takes its address and the runtime's function that gets
//! it.
//!
//! Compilers pass a body's address in the instructions before the call: `lea body(%rip), %rdi` and `call GOMP_task`.
//! Code of x86-64 is searched at each byte: a false match would have to name a body or an entry of the runtime by chance.

use std::collections::HashMap;

use object::{Object, ObjectSymbol, RelocationTarget};
use system::arch::Target;

use crate::image::Image;
use crate::name::ConstructKind;
use crate::symbol_table::Symbols;

/// Reach of the search, in bytes after the instruction that takes the address.
const REACH: u64 = 256;

/// An instruction that takes a body's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launch {
    /// The address of the instruction.
    pub(super) at: u64,
    /// Construct for the runtime's function that gets the address; `None` if no such call was found.
    pub(super) kind: Option<ConstructKind>,
}

/// The construct for which a runtime's function runs a body.
pub(super) fn construct(callee: &str) -> Option<ConstructKind> {
    let name = callee.split_once('@').map_or(callee, |(name, _)| name);
    if name.starts_with("GOMP_parallel") || matches!(name, "__kmpc_fork_call" | "__kmpc_fork_call_if") {
        return (name != "GOMP_parallel_end").then_some(ConstructKind::Parallel);
    }
    let task =
        ["GOMP_task", "GOMP_taskloop", "GOMP_taskloop_ull", "__kmpc_omp_task_alloc", "__kmpc_omp_target_task_alloc"];
    let other = ["GOMP_target", "GOMP_target_ext", "GOMP_teams_reg", "__kmpc_fork_teams"];
    let kinds = [(&task[..], ConstructKind::Task), (&other[..], ConstructKind::Other)];
    kinds.into_iter().find_map(|(names, kind)| names.contains(&name).then_some(kind))
}

/// Runtime functions that run bodies, as a file calls them.
#[derive(Debug, Default)]
pub(super) struct Launchers {
    /// Constructs by the address of the GOT entry, or, for functions that are linked in, by their own address.
    slots: HashMap<u64, ConstructKind>,
    own: HashMap<u64, ConstructKind>,
}

impl Launchers {
    pub(super) fn of<'data>(object: &impl Object<'data>, symbols: &Symbols) -> Self {
        let mut slots = HashMap::new();
        let names: HashMap<_, _> = object
            .dynamic_symbols()
            .filter_map(|symbol| Some((symbol.index(), construct(symbol.name().ok()?)?)))
            .collect();
        for (address, relocation) in object.dynamic_relocations().into_iter().flatten() {
            if let RelocationTarget::Symbol(index) = relocation.target()
                && let Some(kind) = names.get(&index)
            {
                slots.insert(address, *kind);
            }
        }
        let own = symbols.iter().filter_map(|symbol| Some((symbol.address, construct(&symbol.name)?))).collect();
        Self { slots, own }
    }

    /// One function that is linked in.
    #[cfg(test)]
    pub(super) fn with_own(address: u64, kind: ConstructKind) -> Self {
        Self { slots: HashMap::new(), own: HashMap::from([(address, kind)]) }
    }

    /// True if the file calls none of them.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.own.is_empty()
    }

    /// The construct whose function is called at an address.
    fn call(&self, image: &Image, at: u64) -> Option<ConstructKind> {
        self.call_at(image, at).map(|(kind, _)| kind)
    }

    /// The construct whose function is called at an address, and the return address of the call; for a jump, its own
    /// address.
    pub(super) fn call_at(&self, image: &Image, at: u64) -> Option<(ConstructKind, u64)> {
        let call = image.call(at)?;
        let slot = |address: u64| self.slots.get(&address).copied();
        let kind = match call.target {
            Target::Slot(address) => slot(address as u64),
            Target::Code(target) => {
                let own = self.own.get(&(target as u64)).copied();
                own.or_else(|| slot(image.linkage_slot(target as u64)?))
            }
        };
        Some((kind?, call.returns.unwrap_or(at)))
    }
}

/// Finds the instructions that take bodies' addresses. For each body, the first that also runs it counts, otherwise
/// the first. `end`: end of the enclosing function.
pub(super) fn launches(
    image: &Image,
    launchers: &Launchers,
    is_body: impl Fn(u64) -> bool,
    end: impl Fn(u64) -> Option<u64>,
) -> HashMap<u64, Launch> {
    let mut found: HashMap<u64, Launch> = HashMap::new();
    for code in image.sections() {
        for at in code.places() {
            let Some(taken) = code.taken(at).filter(|taken| is_body(taken.address)) else { continue };
            let reach = end(at).map_or(REACH, |end| end.saturating_sub(at).min(REACH));
            let behind = image.places(taken.next, at.saturating_add(reach));
            let kind = behind.into_iter().find_map(|at| launchers.call(image, at));
            let launch = found.entry(taken.address).or_insert(Launch { at, kind });
            if launch.kind.is_none() && kind.is_some() {
                *launch = Launch { at, kind };
            }
        }
    }
    found
}

/// The first wanted function that a wrapper calls.
pub(super) fn passes_on(image: &Image, begin: u64, end: u64, is_wanted: impl Fn(u64) -> bool) -> Option<u64> {
    let target = |at| match image.call(at)?.target {
        Target::Code(target) => Some(target as u64).filter(|target| is_wanted(*target)),
        Target::Slot(_) => None,
    };
    image.places(begin, end.min(begin.saturating_add(REACH))).find_map(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::arch::instructions::Processor;

    const BODY: u64 = 0x40_1100;

    /// Code at 0x401000; at 0x401080 a linkage table entry for the GOT entry 0x404000.
    fn found(code: &[u8]) -> Option<Launch> {
        let mut bytes = vec![0x90; 0x120];
        bytes[..code.len()].copy_from_slice(code);
        // endbr64; bnd jmp *(0x404000 - 0x40108b)(%rip)
        let stub = [0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x75, 0x2f, 0, 0];
        bytes[0x80..0x80 + stub.len()].copy_from_slice(&stub);
        let slots = HashMap::from([(0x40_4000, ConstructKind::Task)]);
        let own = HashMap::from([(0x40_10c0, ConstructKind::Parallel)]);
        let (image, launchers) = (Image::new(Processor::X86_64, 0x40_1000, &bytes), Launchers { slots, own });
        launches(&image, &launchers, |address| address == BODY, |_| Some(0x40_1040)).remove(&BODY)
    }

    #[test]
    fn the_call_behind_gives_the_construct() {
        // lea 0xf9(%rip), %rdi; call 0x401080
        let task = [0x48, 0x8d, 0x3d, 0xf9, 0, 0, 0, 0xe8, 0x74, 0, 0, 0];
        assert_eq!(found(&task), Some(Launch { at: 0x40_1000, kind: Some(ConstructKind::Task) }));
        // mov $0x401100, %edi; call 0x4010c0
        let parallel = [0xbf, 0, 0x11, 0x40, 0, 0xe8, 0xb6, 0, 0, 0];
        assert_eq!(found(&parallel), Some(Launch { at: 0x40_1000, kind: Some(ConstructKind::Parallel) }));
        // lea 0xf9(%rip), %rdi; call *(0x404000 - 0x40100d)(%rip)
        let without_a_table = [0x48, 0x8d, 0x3d, 0xf9, 0, 0, 0, 0xff, 0x15, 0xf3, 0x2f, 0, 0];
        assert_eq!(found(&without_a_table), Some(Launch { at: 0x40_1000, kind: Some(ConstructKind::Task) }));
    }

    #[test]
    fn without_a_known_call_the_construct_is_not_known() {
        assert_eq!(found(&[0x48, 0x8d, 0x3d, 0xf9, 0, 0, 0]), Some(Launch { at: 0x40_1000, kind: None }));
        assert_eq!(found(&[0x48, 0x8d, 0x3d, 0xf8, 0, 0, 0, 0xe8, 0x74, 0, 0, 0]), None);
    }

    #[test]
    fn entries_of_both_runtimes_are_known() {
        assert_eq!(construct("GOMP_parallel_loop_nonmonotonic_dynamic"), Some(ConstructKind::Parallel));
        assert_eq!(construct("GOMP_task@GOMP_2.0"), Some(ConstructKind::Task));
        assert_eq!(construct("__kmpc_fork_teams"), Some(ConstructKind::Other));
        assert_eq!([construct("GOMP_parallel_end"), construct("GOMP_taskwait"), construct("main")], [None; 3]);
    }
}
