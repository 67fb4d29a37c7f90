//! The libraries as the process finds them: by their paths, or as copies in memory files of the process.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the installation of `ora`"))]

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::leftovers::Leftovers;
use crate::remote_call::Caller;
use crate::target::Target;

/// Names by which the process loads the libraries.
#[derive(Debug)]
pub(crate) struct LibraryFiles {
    /// Name of `libora.so`.
    pub(crate) library: String,
    /// Name of the watching library.
    pub(crate) watcher: String,
    /// Descriptors of their memory files in the process; -1 if there are none.
    pub(crate) numbers: [i32; 2],
    /// The memory files, still empty, and the libraries to be copied into them.
    copies: Vec<(File, PathBuf)>,
}

impl LibraryFiles {
    /// Creates the memory files that are needed, by system calls of the process. `text`: address for a name. The paths are
    /// those of `libora.so` and of the watching library. `loaded`: the latter's name, if it is loaded.
    ///
    /// # Errors
    /// If the process may not have them, or replaces one.
    pub(crate) fn make(
        caller: &mut Caller,
        text: u64,
        target: &Target,
        ([library, watcher], loaded): ([&Path; 2], Option<String>),
        made: &mut Leftovers,
    ) -> io::Result<Self> {
        let mut copies = Vec::new();
        let in_memory = target.stacks.objects.iter().filter(|object| object.name().starts_with("memfd:")).count();
        let mut name = |loaded: Option<String>, path: &Path| -> io::Result<(String, i32)> {
            match loaded {
                Some(loaded) => Ok((loaded, -1)),
                None if target.same_files => Ok((path.display().to_string(), -1)),
                None => {
                    let word = path.file_name().and_then(|name| name.to_str()).unwrap_or("libora.so");
                    let number = made.memory_file(caller, text, word)?;
                    copies.push((target.other().memory(number)?, path.to_owned()));
                    // The dynamic linker identifies a library that it has already loaded by the name, and numbers of
                    // descriptors are reused: so each library in memory has a name of its own.
                    let differs = "./".repeat(in_memory + copies.len());
                    Ok((format!("/proc/self/fd/{differs}{number}"), number))
                }
            }
        };
        let (library, first) = name(target.library.clone(), library)?;
        let (watcher, second) = name(loaded, watcher)?;
        Ok(Self { library, watcher, numbers: [first, second], copies })
    }

    /// Copies the libraries into the memory files.
    ///
    /// # Errors
    /// If a library can't be read, or a file is full.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        self.copies.drain(..).try_for_each(|(mut file, path)| io::copy(&mut File::open(path)?, &mut file).map(drop))
    }
}
