//! Names in one process, whose objects may have replaced each other at the same addresses.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;

use profile_format::Object;

use crate::code_map::{CodeMap, is_made};
use crate::file::{CodeFile, Files};
use crate::name::{Name, Names};
use crate::place::Place;
use crate::spans::Spans;

/// Look-up of names in one process.
#[derive(Debug)]
pub struct ProcessNames {
    files: Files,
    made: CodeMap,
    objects: Vec<Mapped>,
    spans: Spans,
}

#[derive(Debug)]
struct Mapped {
    start: u64,
    bias: u64,
    build_id: Vec<u8>,
    path: PathBuf,
    file: Option<Rc<CodeFile>>,
}

impl ProcessNames {
    /// Creates the look-up from the process's [`profile_format::Record::Object`]s; the files are shared with other
    /// processes.
    pub fn new<'a>(files: &Files, objects: impl IntoIterator<Item = Object<'a>>) -> Self {
        let (objects, spans): (Vec<_>, Vec<_>) = objects
            .into_iter()
            .map(|object| (Mapped::of(&object), (object.start, object.end, object.since_ns)))
            .unzip();
        Self { files: files.clone(), made: CodeMap::default(), objects, spans: Spans::new(spans) }
    }

    /// Adds the functions of generated code, which is in no object.
    pub fn with_made(mut self, made: &CodeMap) -> Self {
        self.made = made.clone();
        self
    }

    /// The latest object that was mapped at that time; for a time before the first object, the first.
    fn object(&mut self, address: u64, at_ns: u64) -> Option<&mut Mapped> {
        self.objects.get_mut(self.spans.at(address, at_ns)?)
    }
}

impl Mapped {
    fn of(object: &Object) -> Self {
        Self {
            start: object.start,
            bias: object.bias,
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
