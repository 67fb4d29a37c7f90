//! Programs that print their own addresses, and the expectations from their sources.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use std::process::Command;

use compat_tests::forge::{Forge, Language};
use object::{Object as _, ObjectSymbol};
use profile_format::Object;
use symbols::{Files, Name, Names, Place, ProcessNames};
use tempfile::TempDir;

/// Address at which the tests map a program, independent of its own run.
pub(crate) const BASE: u64 = 0x7000_0000_0000;

/// A program that was run.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    source: String,
    /// Return address of each tag's call, in the file.
    returns: BTreeMap<String, u64>,
}

pub(crate) fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

impl Program {
    pub(crate) fn build(language: Language, source: &str, flags: &[&str]) -> Self {
        let folder = format!("{}/tests/programs", env!("CARGO_MANIFEST_DIR"));
        let mut sources = vec![format!("{folder}/{source}")];
        if language == Language::Fortran {
            sources.push(format!("{folder}/here.c"));
        }
        let sources: Vec<_> = sources.iter().map(String::as_str).collect();
        let path = forge().build(language, &sources, &[&["-fopenmp"], flags].concat(), "");
        let output =
            Command::new(&path).env("OMP_NUM_THREADS", "2").env("OMP_MAX_ACTIVE_LEVELS", "2").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        let mut words = BTreeMap::new();
        for line in said.lines() {
            if let Some((tag, address)) = line.split_once(" 0x") {
                words.entry(tag.to_owned()).or_insert_with(|| u64::from_str_radix(address, 16).unwrap());
            }
        }
        let bias = words.remove("bias").unwrap();
        let returns = words.into_iter().map(|(tag, address)| (tag, address - bias)).collect();
        let source = std::fs::read_to_string(sources[0]).unwrap();
        Self { path, source, returns }
    }

    /// The place of a tag's call in a file with the same code, whose sections have their addresses as offsets.
    pub(crate) fn place_of_call(&self, path: &Path, tag: &str) -> Place {
        Files::default().place_of_call(path.to_str().unwrap(), self.returns[tag])
    }

    /// Number of the line with this text.
    pub(crate) fn line(&self, text: &str) -> u32 {
        let index = self.source.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}"));
        u32::try_from(index + 1).unwrap()
    }

    /// Names of the functions at a tag.
    pub(crate) fn names(&self, tag: &str) -> Vec<Name> {
        self.names_of(&self.path, tag)
    }

    /// Names of the functions at a tag, from a copy of the program.
    pub(crate) fn names_of(&self, path: &Path, tag: &str) -> Vec<Name> {
        self.names_by(&Files::default(), path, &[], tag)
    }

    pub(crate) fn names_by(&self, files: &Files, path: &Path, build_id: &[u8], tag: &str) -> Vec<Name> {
        let object = object(path.to_str().unwrap(), build_id);
        ProcessNames::new(files, [object]).at(BASE + self.returns[tag], true, 1)
    }

    /// The names at an address in the file.
    pub(crate) fn names_at(&self, address: u64, returns: bool) -> Vec<Name> {
        let object = object(self.path.to_str().unwrap(), &[]);
        ProcessNames::new(&Files::default(), [object]).at(BASE + address, returns, 1)
    }

    pub(crate) fn returns(&self, tag: &str) -> u64 {
        self.returns[tag]
    }
}

pub(crate) fn object<'a>(path: &'a str, build_id: &'a [u8]) -> Object<'a> {
    let path = path.as_bytes();
    Object { start: BASE, end: BASE + (1 << 30), bias: BASE, since_ns: 0, build_id, path }
}

/// The range of a symbol.
pub(crate) fn symbol(path: &Path, name: &str) -> std::ops::Range<u64> {
    let bytes = std::fs::read(path).unwrap();
    let parsed = object::File::parse(bytes.as_slice()).unwrap();
    let symbol = parsed.symbol_by_name(name).unwrap_or_else(|| panic!("{}: no {name}", path.display()));
    symbol.address()..symbol.address() + symbol.size()
}

/// A temporary folder, removed at the test's end.
#[derive(Debug)]
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        Self(tempfile::Builder::new().prefix(test).tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }
}

impl std::ops::Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// Runs a tool of binutils on files.
pub(crate) fn tool(name: &str, arguments: &[&str]) {
    let output = Command::new(name).args(arguments).output().unwrap();
    assert!(output.status.success(), "{name} {arguments:?}: {output:?}");
}
