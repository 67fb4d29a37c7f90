//! The modules of the process: mappings of files, each a line of the process's file.
#![cfg_attr(test, allow(unsafe_code))] // the tests load libraries

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use system::maps::{Mapping, any_own_mapping, any_own_mapping_in};
use system::objects;

use crate::line::Line;

/// The modules that have been written.
#[derive(Debug)]
pub(crate) struct Modules {
    /// The linker's count of loaded objects when they were written; `u64::MAX` before the first time.
    loaded: AtomicU64,
}

impl Modules {
    /// No module has been written.
    pub(crate) const fn unwritten() -> Self {
        Self { loaded: AtomicU64::new(u64::MAX) }
    }

    /// Forgets what has been written: a forked child has a file of its own.
    pub(crate) fn forget(&self) {
        self.loaded.store(u64::MAX, Relaxed);
    }

    /// Writes the modules of the objects that have been loaded since the last call; all modules if these are many. Allocates nothing,
    /// because the first report in a forked child may come here, inside of ThreadSanitizer.
    pub(crate) fn write(&self, mut append: impl FnMut(&mut Line)) {
        let mut write = |mapping: Mapping<'_>| {
            if mapping.path.first() == Some(&b'/') && mapping.inode != 0 {
                append(&mut line(&mapping));
            }
            false
        };
        match objects::newest(&self.loaded).extents() {
            Some([]) => {}
            Some(extents) => _ = any_own_mapping_in(extents, write),
            None => _ = any_own_mapping(&mut write),
        }
    }
}

fn line(mapping: &Mapping<'_>) -> Line {
    let address = |number: u64| usize::try_from(number).unwrap_or(0);
    let mut line = Line::new();
    line.text("{\"type\":\"module\",\"path\":").string(mapping.path);
    line.text(",\"start\":").address(address(mapping.start)).text(",\"end\":").address(address(mapping.end));
    line.text(",\"offset\":").address(address(mapping.offset)).text(",\"build_id\":\"\"}");
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use race_format::{Line as Read, Module};
    use std::collections::HashMap;
    use std::ffi::{CString, OsString};
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    /// Copies of a small library of the system, which differ only in their names. One test loads them at a time: all are in one process.
    struct Libraries {
        _alone: MutexGuard<'static, ()>,
        original: PathBuf,
        folder: tempfile::TempDir,
    }

    impl Libraries {
        fn new() -> Self {
            static ALONE: Mutex<()> = Mutex::new(());
            let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
            let of_c =
                list(&Modules::unwritten()).into_iter().find(|module| Path::new(&module.path).ends_with("libc.so.6"));
            let original = PathBuf::from(of_c.unwrap().path).with_file_name("libdl.so.2");
            Self { _alone, original, folder: tempfile::tempdir().unwrap() }
        }

        fn path(&self, number: usize) -> OsString {
            self.folder.path().canonicalize().unwrap().join(format!("lib{number}.so")).into()
        }

        fn load(&self, number: usize) -> *mut libc::c_void {
            let path = self.path(number);
            std::fs::copy(&self.original, &path).unwrap();
            let path = CString::new(path.into_encoded_bytes()).unwrap();
            // SAFETY: a C string, and a library that does nothing when it is loaded.
            let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
            assert!(!library.is_null());
            library
        }
    }

    /// The modules that are written.
    fn list(modules: &Modules) -> Vec<Module> {
        let mut bytes = Vec::new();
        modules.write(|line| bytes.extend(line.finished()));
        let lines = race_format::read(&bytes);
        assert_eq!((lines.skipped, lines.cut), (0, false));
        let module = |line| if let Read::Module(module) = line { module } else { panic!("{line:?}") };
        lines.lines.into_iter().map(module).collect()
    }

    #[test]
    fn each_of_a_thousand_libraries_is_written_when_it_is_new_and_never_again() {
        let (libraries, modules) = (Libraries::new(), Modules::unwritten());
        assert!(!list(&modules).is_empty());
        for number in 0..1000 {
            libraries.load(number);
            let new = list(&modules);
            assert!(!new.is_empty() && new.iter().all(|module| module.path == libraries.path(number)), "{new:?}");
        }
        assert_eq!(list(&modules), []);
        modules.forget();
        let mut known: HashMap<OsString, usize> = HashMap::new();
        list(&modules).into_iter().for_each(|module| *known.entry(module.path).or_default() += 1);
        assert!((0..1000).all(|number| known.contains_key(&libraries.path(number))));
    }

    #[test]
    fn libraries_that_are_loaded_together_are_all_written() {
        for count in [2, 63, 64, 65, 130] {
            let (libraries, modules) = (Libraries::new(), Modules::unwritten());
            list(&modules);
            (0..count).for_each(|number| _ = libraries.load(number));
            let new = list(&modules);
            let is_there = |number| new.iter().any(|module| module.path == libraries.path(number));
            assert!((0..count).all(is_there), "{count}");
        }
    }

    #[test]
    fn a_library_at_the_address_of_one_that_is_gone_is_written() {
        let (libraries, modules) = (Libraries::new(), Modules::unwritten());
        list(&modules);
        let mut replaced = 0;
        for number in 0..20 {
            let [one, other] = [number, number + 100].map(|number| {
                let library = libraries.load(number);
                let new = list(&modules);
                assert!(new.iter().all(|module| module.path == libraries.path(number)), "{new:?}");
                // SAFETY: the library was opened above, and nothing of it is used.
                unsafe { libc::dlclose(library) };
                assert_eq!(list(&modules), []);
                new.first().map(|module| module.start)
            });
            replaced += usize::from(one.is_some() && one == other);
        }
        // Other threads may take the addresses meanwhile.
        assert!(replaced > 0);
    }
}
