//! Symbol lookup scopes: the libgomps that the dynamic linker searches for an object, in order, in addition to the global scope.
//!
//! An object's local scope belongs to the object whose `dlopen` loaded it: it contains that object and, breadth first, its dependencies.
//! The linker does not tell which object that was, but it keeps objects in load order: it is the first one from which the other can be
//! reached.

use std::ffi::CStr;
use system::memory::Scratch;
use system::objects::{Object, any_object};

const NONE: u32 = u32::MAX;

/// The largest number of libgomps in a scope.
const MAX_LIBGOMPS: usize = 16;

/// A loaded object.
#[derive(Clone, Copy)]
struct Node {
    object: Object,
    /// Hashes of its names; 0: none.
    names: [u32; 3],
    /// Dependencies of the object: a range of positions in the list of all dependencies.
    needs: (u32, u32),
    /// The object whose `dlopen` loaded it.
    root: u32,
    /// Number of the last search that visited it.
    seen: u32,
    is_libgomp: bool,
}

/// The objects that are loaded now. Used within `objects::locked`.
pub(super) struct Loaded<'a> {
    nodes: &'a mut [Node],
    needs: &'a mut [u32],
    queue: &'a mut [u32],
    search: u32,
}

/// The libgomps in the scope of an object, in search order.
pub(super) struct Scope {
    libgomps: [Option<Object>; MAX_LIBGOMPS],
}

/// Passes a snapshot of the loaded objects to `show`; false if the system refuses memory for it.
pub(super) fn look(show: &mut dyn FnMut(&mut Loaded<'_>)) -> bool {
    let (mut objects, mut needs, mut first) = (0, 0, None);
    any_object(&mut |object| {
        objects += 1;
        needs += object.needed().count();
        first.get_or_insert(object);
        false
    });
    let Some(object) = first else { return false };
    let bytes = objects * (size_of::<Node>() + size_of::<u32>()) + needs * size_of::<u32>();
    let Some(scratch) = Scratch::of(bytes) else { return false };
    let empty = Node { object, names: [0; 3], needs: (0, 0), root: NONE, seen: 0, is_libgomp: false };
    let arrays = (scratch.array(objects, empty), scratch.array(needs, 0), scratch.array(objects, 0));
    let (Some(nodes), Some(needs), Some(queue)) = arrays else { return false };
    let mut next = 0;
    any_object(&mut |object| {
        let names = object.names().map(|name| name.map_or(0, hash));
        if let Some(place) = nodes.get_mut(next) {
            *place = Node { object, names, is_libgomp: is_libgomp(&object), ..empty };
            next += 1;
        }
        false
    });
    let nodes = nodes.get_mut(..next).unwrap_or_default();
    let mut loaded = Loaded { nodes, needs, queue, search: 0 };
    loaded.resolve();
    loaded.find_roots();
    show(&mut loaded);
    true
}

/// True if an object is a runtime with libgomp's entry points, but not this library.
pub(super) fn is_libgomp(object: &Object) -> bool {
    object.function(c"GOMP_barrier", None).is_some() && !object.is_own()
}

fn hash(name: &CStr) -> u32 {
    name.to_bytes().iter().fold(0x811c_9dc5_u32, |h, c| (h ^ u32::from(*c)).wrapping_mul(0x0100_0193)).max(1)
}

impl Loaded<'_> {
    /// The runtimes with libgomp's entry points, in loading order.
    pub(super) fn libgomps(&self) -> impl Iterator<Item = &Object> + Clone {
        self.nodes.iter().filter(|node| node.is_libgomp).map(|node| &node.object)
    }

    /// A copy of the same list, for use during `each_user`.
    pub(super) fn all_libgomps(&self) -> [Option<Object>; MAX_LIBGOMPS] {
        let mut all = [None; MAX_LIBGOMPS];
        all.iter_mut().zip(self.libgomps()).for_each(|(place, libgomp)| *place = Some(*libgomp));
        all
    }

    /// Passes all objects that are not runtimes to `show`, with the libgomps in their scopes.
    pub(super) fn each_user(&mut self, show: &mut dyn FnMut(&Object, &Scope)) {
        let mut last = (NONE, Scope { libgomps: [None; MAX_LIBGOMPS] });
        for index in 0..self.nodes.len() {
            let Some(node) = self.nodes.get(index).copied() else { return };
            if node.is_libgomp || node.object.is_own() {
                continue;
            }
            if last.0 != node.root {
                last = (node.root, self.scope(node.root));
            }
            show(&node.object, &last.1);
        }
    }

    /// Finds each object's dependencies: the first object of that name.
    fn resolve(&mut self) {
        let mut end = 0;
        for index in 0..self.nodes.len() {
            let Some(object) = self.nodes.get(index).map(|node| node.object) else { return };
            let start = end;
            for name in object.needed() {
                let wanted = hash(name);
                let is_it = |node: &Node| {
                    node.names.contains(&wanted) && node.object.names().iter().flatten().any(|own| *own == name)
                };
                let found = self.nodes.iter().position(is_it).and_then(|at| u32::try_from(at).ok());
                if let (Some(found), Some(place)) = (found, self.needs.get_mut(end as usize)) {
                    *place = found;
                    end += 1;
                }
            }
            if let Some(node) = self.nodes.get_mut(index) {
                node.needs = (start, end);
            }
        }
    }

    fn find_roots(&mut self) {
        for index in 0..self.nodes.len() {
            if self.nodes.get(index).is_some_and(|node| node.root == NONE) {
                let root = u32::try_from(index).unwrap_or(NONE);
                self.search(root, &mut |node| {
                    let new = node.root == NONE;
                    if new {
                        node.root = root;
                    }
                    new
                });
            }
        }
    }

    fn scope(&mut self, root: u32) -> Scope {
        let mut scope = Scope { libgomps: [None; MAX_LIBGOMPS] };
        let mut places = scope.libgomps.iter_mut();
        self.search(root, &mut |node| {
            if node.is_libgomp
                && let Some(place) = places.next()
            {
                *place = Some(node.object);
            }
            true
        });
        scope
    }

    /// Searches breadth first from one object through its dependencies, but not past those for which `visit` returns
    /// false.
    fn search(&mut self, from: u32, visit: &mut dyn FnMut(&mut Node) -> bool) {
        self.search += 1;
        let (mut head, mut tail) = (0, 0);
        let mut meet = |nodes: &mut [Node], queue: &mut [u32], tail: &mut usize, index: u32, search: u32| {
            let Some(node) = nodes.get_mut(index as usize) else { return };
            if node.seen == search {
                return;
            }
            node.seen = search;
            if visit(node)
                && let Some(place) = queue.get_mut(*tail)
            {
                *place = index;
                *tail += 1;
            }
        };
        meet(self.nodes, self.queue, &mut tail, from, self.search);
        while head < tail {
            let at = self.queue.get(head).copied().unwrap_or_default();
            head += 1;
            let (start, end) = self.nodes.get(at as usize).map_or((0, 0), |node| node.needs);
            for need in start..end {
                let index = self.needs.get(need as usize).copied().unwrap_or(NONE);
                meet(self.nodes, self.queue, &mut tail, index, self.search);
            }
        }
    }
}

impl Scope {
    /// The libgomps, in search order.
    pub(super) fn libgomps(&self) -> impl Iterator<Item = &Object> + Clone {
        self.libgomps.iter().flatten()
    }
}
