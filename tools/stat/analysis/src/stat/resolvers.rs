//! Resolvers of places that are kept between two snapshots of the same run.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use stat_layout::loaded::LoadedObjects;
use symbols::{Files, Instrumented, Resolver};

/// One resolver for each process, by the number of its slot.
#[derive(Debug)]
pub struct Resolvers {
    files: Files,
    known: HashMap<u32, Resolver>,
}

impl Resolvers {
    /// No resolvers yet.
    pub fn new(instrumented: &Rc<Instrumented>) -> Self {
        Self { files: Files::of_run(instrumented), known: HashMap::new() }
    }

    /// The resolver for a process, with all objects that it has entered so far.
    pub(super) fn of(&mut self, objects: &LoadedObjects, process: u32) -> &mut Resolver {
        match self.known.entry(process) {
            Entry::Occupied(known) => {
                let resolver = known.into_mut();
                resolver.learn(objects, process);
                resolver
            }
            Entry::Vacant(new) => new.insert(Resolver::of(objects, process, &self.files)),
        }
    }
}
