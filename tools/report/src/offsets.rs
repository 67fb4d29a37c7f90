//! Names for those who know no functions: object and offset.

use crate::input::{Objects, Process};
use crate::names::{Name, Names};

/// Knows the objects of a process only.
#[derive(Clone, Debug)]
pub struct Offsets(Objects);

impl Offsets {
    /// Those of a process.
    pub fn of(process: &Process) -> Self {
        Self(process.objects.clone())
    }
}

impl Names for Offsets {
    fn at(&mut self, address: u64, returns: bool, at_ns: u64) -> Vec<Name> {
        let within = address.saturating_sub(u64::from(returns));
        let object = self.0.at(within, at_ns);
        let name = object.map_or("", |object| object.path.rsplit('/').next().unwrap_or_default());
        let function = match object {
            Some(object) => format!("{name}+{:#x}", within.saturating_sub(object.bias)),
            None => format!("{within:#x}"),
        };
        vec![Name { function, file: None, line: 0, object: name.to_owned(), construct: None }]
    }
}
