//! Names in one process, whose objects may have replaced each other at the same addresses.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;

use profile_format::Object;

use crate::code_map::{CodeMap, is_made};
use crate::file::{CodeFile, Files};
use crate::name::{Name, Names};
use crate::place::Place;

/// Look-up of names in one process.
#[derive(Debug)]
pub struct ProcessNames {
    files: Files,
    made: CodeMap,
    objects: Vec<Mapped>,
    /// Address ranges in which no object starts or ends, by address, and the objects of each, by the time of their
    /// mapping.
    pieces: Vec<(u64, Vec<usize>)>,
}

#[derive(Debug)]
struct Mapped {
    start: u64,
    end: u64,
    bias: u64,
    since_ns: u64,
    build_id: Vec<u8>,
    path: PathBuf,
    file: Option<Rc<CodeFile>>,
}

impl ProcessNames {
    /// Creates the look-up from the process's [`profile_format::Record::Object`]s; the files are shared with other
    /// processes.
    pub fn new<'a>(files: &Files, objects: impl IntoIterator<Item = Object<'a>>) -> Self {
        let mut objects: Vec<_> = objects.into_iter().map(|object| Mapped::of(&object)).collect();
        objects.sort_by_key(|object| object.since_ns);
        let cuts: BTreeSet<u64> = objects.iter().flat_map(|object| [object.start, object.end]).collect();
        let there = |cut: u64| {
            let within = |(_, object): &(usize, &Mapped)| (object.start..object.end).contains(&cut);
            objects.iter().enumerate().filter(within).map(|(index, _)| index).collect()
        };
        let pieces = cuts.into_iter().map(|cut| (cut, there(cut))).collect();
        Self { files: files.clone(), made: CodeMap::default(), objects, pieces }
    }

    /// Adds the functions of generated code, which is in no object.
    pub fn with_made(mut self, made: &CodeMap) -> Self {
        self.made = made.clone();
        self
    }

    /// The latest object that was mapped at that time; for a time before the first object, the first.
    fn object(&mut self, address: u64, at_ns: u64) -> Option<&mut Mapped> {
        let behind = self.pieces.partition_point(|(cut, _)| *cut <= address);
        let (_, there) = self.pieces.get(behind.checked_sub(1)?)?;
        let since = |index: &&usize| self.objects.get(**index).is_some_and(|object| object.since_ns <= at_ns);
        let index = there.iter().rev().find(since).or(there.first())?;
        self.objects.get_mut(*index)
    }
}

impl Mapped {
    fn of(object: &Object) -> Self {
        Self {
            start: object.start,
            end: object.end,
            bias: object.bias,
            since_ns: object.since_ns,
            build_id: object.build_id.to_owned(),
            path: OsStr::from_bytes(object.path).into(),
            file: None,
        }
    }

    fn file(&mut self, files: &Files) -> Rc<CodeFile> {
        self.file.get_or_insert_with(|| files.open(&self.path, &self.build_id)).clone()
    }
}

impl Names for ProcessNames {
    fn at(&mut self, address: u64, returns: bool, at_ns: u64) -> Vec<Name> {
        let files = self.files.clone();
        let within = address.wrapping_sub(u64::from(returns));
        let Some(object) = self.object(within, at_ns) else {
            return vec![self.made.name(within).unwrap_or_else(|| without_file(None))];
        };
        // A library in memory is an object with a build ID, as those that `ora attach` brings.
        if object.build_id.is_empty() && is_made(&object.path.to_string_lossy()) {
            let start = object.start;
            return vec![self.made.name(within).unwrap_or_else(|| without_file(Some(start)))];
        }
        object.file(&files).names(address.wrapping_sub(object.bias), returns).to_vec()
    }

    fn construct(&mut self, returns_to: u64, at_ns: u64) -> Option<Place> {
        let files = self.files.clone();
        let object = self.object(returns_to.checked_sub(1)?, at_ns)?;
        object.file(&files).construct(returns_to.wrapping_sub(object.bias))
    }
}

/// Name of code without a file: one for each mapping, since nothing tells where functions begin.
fn without_file(mapped_at: Option<u64>) -> Name {
    let function = match mapped_at {
        Some(start) => format!("code without a file, mapped at {start:#x}"),
        None => "code without a file".to_owned(),
    };
    Name { function, ..Name::default() }
}
