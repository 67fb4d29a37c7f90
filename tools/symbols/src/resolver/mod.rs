//! Places of tasks and parallel regions, from the return addresses in the memory of a collector.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;

use stat_layout::loaded::{LoadedObjects, ObjectSlot, place};

use crate::call::Resolved;
use crate::file::{CodeFile, Files};
use crate::place::{Place, short};

/// Resolver of code addresses of one process: its loaded objects, and a cache of locations.
#[derive(Debug)]
pub struct Resolver {
    objects: Vec<Mapped>,
    files: Files,
    opened: HashMap<String, Option<Rc<CodeFile>>>,
    known: HashMap<u64, Resolved>,
}

#[derive(Debug)]
struct Mapped {
    start: u64,
    end: u64,
    offset: u64,
    inode: u64,
    path: String,
}

impl Resolver {
    /// Resolver for the process with this slot. The files are those of all processes.
    pub fn of(loaded: &LoadedObjects, process: u32, files: &Files) -> Self {
        let mut resolver = Self::new(Vec::new(), files);
        resolver.learn(loaded, process);
        resolver
    }

    /// Updates the list of objects, to which the process may have added some.
    pub fn learn(&mut self, loaded: &LoadedObjects, process: u32) {
        let own = |slot: &&ObjectSlot| slot.owner.load(Relaxed) == process + 1;
        let mapped = |slot: &ObjectSlot| Mapped {
            start: slot.start.load(Relaxed),
            end: slot.end.load(Relaxed),
            offset: slot.offset.load(Relaxed),
            inode: slot.inode.load(Relaxed),
            path: slot.path.get(),
        };
        self.objects = loaded.slots().filter(own).map(mapped).collect();
    }

    fn new(objects: Vec<Mapped>, files: &Files) -> Self {
        Self { objects, files: files.clone(), opened: HashMap::new(), known: HashMap::new() }
    }

    /// Location of a place as a collector records it: a return address, or one of the numbers in `layout::place`.
    pub fn resolve(&mut self, raw: u64) -> Resolved {
        let alone = |place| Resolved { place, address: 0, has_body: false };
        match raw {
            place::CHUNK => alone(Place::Chunk),
            place::MANY => alone(Place::Many),
            raw if raw < place::FIRST_ADDRESS => alone(Place::Unknown),
            raw => {
                if let Some(resolved) = self.known.get(&raw) {
                    return resolved.clone();
                }
                let resolved = self.look_up(raw);
                self.known.insert(raw, resolved.clone());
                resolved
            }
        }
    }

    /// Like [`resolve`](Self::resolve), without the address.
    pub fn place(&mut self, raw: u64) -> Place {
        self.resolve(raw).place
    }

    /// The object, and the address in it as shown by `objdump`, for an address passed to [`Self::resolve`].
    pub fn listed(&self, returns_to: u64) -> Option<(String, u64)> {
        if returns_to < place::FIRST_ADDRESS {
            return None;
        }
        let (object, in_file) = in_file(&self.objects, returns_to)?;
        let code = self.opened.get(&object.path).and_then(Option::as_ref).and_then(|file| file.code());
        let address = code.and_then(|code| code.address(in_file - 1)).map_or(in_file, |call| call + 1);
        Some((short(&object.path).to_owned(), address))
    }

    /// The file of the code that contains an address.
    pub fn file(&self, returns_to: u64) -> Option<&str> {
        if returns_to < place::FIRST_ADDRESS {
            return None;
        }
        in_file(&self.objects, returns_to).map(|(object, _)| object.path.as_str())
    }

    fn look_up(&mut self, returns_to: u64) -> Resolved {
        let at = |place| Resolved { place, address: returns_to, has_body: false };
        let Some((object, in_file)) = in_file(&self.objects, returns_to) else { return at(Place::Address(returns_to)) };
        let files = &self.files;
        let file = self
            .opened
            .entry(object.path.clone())
            .or_insert_with(|| object.is_there().then(|| files.open(Path::new(&object.path), &[])));
        let found = file.as_ref().and_then(|file| file.time.spend(|| file.call(in_file)));
        match found {
            Some(found) => found.unwrap_or_else(at),
            None => at(Place::Offset { object: short(&object.path).to_owned(), address: in_file }),
        }
    }
}

impl Mapped {
    /// True if its file is still the one that was mapped. Collectors identify files by their inode, not by their
    /// build: they read no file.
    fn is_there(&self) -> bool {
        Path::new(&self.path).metadata().is_ok_and(|about| about.ino() == self.inode)
    }
}

/// The object that contains a call, and the offset in its file to which the call returns.
fn in_file(objects: &[Mapped], returns_to: u64) -> Option<(&Mapped, u64)> {
    // An address in the call: the next one may be in another mapping.
    let within = |object: &&Mapped| (object.start..object.end).contains(&(returns_to - 1));
    let object = objects.iter().find(within).filter(|object| !object.path.is_empty())?;
    Some((object, (returns_to - object.start).wrapping_add(object.offset)))
}

#[cfg(test)]
mod tests;
