//! Libraries that the dynamic linker would load with a program, in its order: found by running the program's own
//! dynamic linker, otherwise by a search in the same folders.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use system::arch::{CACHE_MARK, LINKER, LINKER_NAME};

use terminal::printable::Shown as _;
use untrusted::trusted::{Doubt, Trust};

use crate::image::{Image, Kind};
use crate::linker::{self, Listing};

/// Default folders of the dynamic linker.
const USUAL: [&str; 4] = ["/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// Subfolders in which the dynamic linker looks first, depending on the processor; all but the first one only before
/// glibc 2.37.
const INNER: [&str; 8] = ["glibc-hwcaps", "tls", "haswell", "xeon_phi", "avx512_1", "x86_64", "aarch64", "atomics"];
/// Maximum number of libraries that are searched for, of folders that a text names, and of places that are examined.
const MAX_LIBRARIES: usize = 4096;
const MAX_FOLDERS: usize = 256;
const MAX_PATHS: usize = 50_000;

/// The libraries of a program.
#[derive(Debug, Default)]
pub struct Scope {
    /// Paths, in the order in which symbols are looked up. The program itself comes before all of them.
    pub objects: Vec<PathBuf>,
    /// Names that were not found.
    pub missing: Vec<String>,
    /// Complaints of the dynamic linker.
    pub complaints: Vec<String>,
    /// Method by which the scope was found.
    pub way: String,
}

/// True if this is glibc's dynamic linker for this machine.
pub fn is_glibc(interpreter: &str) -> bool {
    Path::new(interpreter).file_name() == Some(OsStr::new(LINKER_NAME))
}

/// The scope that a program would have. `variables` are those of our own environment that matter.
pub fn of(path: &Path, image: &Image, variables: &[(&str, OsString)]) -> Scope {
    let search = Search::of(path, image, variables);
    if !linker::is_systems(image.interpreter.as_deref().unwrap_or(LINKER)) {
        return search.scope;
    }
    let asked = search.may_be_asked(path).and_then(|program| linker::ask(&program, variables));
    let asked = asked.map(|Listing { objects, missing, complaints }| {
        let way = format!("asked {LINKER} as ldd does, which runs nothing of the program");
        Scope { objects, missing, complaints, way }
    });
    asked.unwrap_or_else(|why| {
        let way = format!("{}, without a look at versions: the dynamic linker isn't asked, as {why}", search.scope.way);
        Scope { way, ..search.scope }
    })
}

/// The scope that another process had at its start, according to its variables. No dynamic linker is ever run for it.
pub fn of_process(path: &Path, image: &Image, variables: &[(&str, OsString)]) -> Scope {
    Search::of(path, image, variables).scope
}

/// A breadth-first search for the libraries in the places that ld.so(8) lists.
#[derive(Debug, Default)]
struct Search {
    scope: Scope,
    /// All places that were examined.
    places: Vec<PathBuf>,
    /// The reason why the dynamic linker might find something else, or run something.
    doubt: Option<String>,
    left: usize,
}

/// A library that has not been found yet.
#[derive(Clone, Debug)]
struct Wanted {
    name: String,
    /// Folders that are searched before those of LD_LIBRARY_PATH, and after them.
    before: Vec<PathBuf>,
    after: Vec<PathBuf>,
}

impl Search {
    fn of(path: &Path, image: &Image, variables: &[(&str, OsString)]) -> Self {
        let known = cache();
        let variable = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.clone());
        let users = folders(
            &variable("LD_LIBRARY_PATH").unwrap_or_default().to_string_lossy().replace(';', ":"),
            Path::new(""),
        );
        let preload = variable("LD_PRELOAD").unwrap_or_default().to_string_lossy().into_owned();
        let preloaded = preload.split([':', ' ']).filter(|name| !name.is_empty()).map(str::to_owned);

        let way = "searched as ld.so(8) says".to_owned();
        let mut search = Self { scope: Scope { way, ..Scope::default() }, left: MAX_PATHS, ..Self::default() };
        let origin = path.canonicalize().ok().and_then(|p| p.parent().map(Path::to_owned)).unwrap_or_default();
        let (before, after) = search.folders(image, &origin, &[]);
        search.judge(path, image);
        let names = preloaded.chain(image.needed.iter().cloned());
        let of_program = |name| Wanted { name, before: before.clone(), after: after.clone() };
        let mut wanted: Vec<Wanted> = names.take(MAX_LIBRARIES).map(of_program).collect();
        let mut names: BTreeSet<String> = wanted.iter().map(|wanted| wanted.name.clone()).collect();
        let mut at = 0;
        while let Some(Wanted { name, before, after }) = wanted.get(at).cloned() {
            at += 1;
            let cached = known.get(name.as_str()).map(|path| path.parent().unwrap_or(Path::new("/")).to_owned());
            let usual = USUAL.map(PathBuf::from);
            let places = before.iter().chain(&users).chain(&after).chain(&cached).chain(&usual);
            let candidates: Vec<PathBuf> =
                if name.contains('/') { vec![PathBuf::from(&name)] } else { places.map(|p| p.join(&name)).collect() };
            let Some(found) = candidates.into_iter().find(|file| search.is_library(file)) else {
                search.scope.missing.push(name);
                continue;
            };
            if let Ok(image) = Image::read(&found) {
                search.judge(&found, &image);
                let origin = std::path::absolute(&found).ok().and_then(|file| file.parent().map(Path::to_owned));
                let (before, after) = search.folders(&image, &origin.unwrap_or_default(), &before);
                for needed in image.needed {
                    if wanted.len() < MAX_LIBRARIES && names.insert(needed.clone()) {
                        wanted.push(Wanted { name: needed, before: before.clone(), after: after.clone() });
                    }
                }
            } else {
                search.doubt(|| format!("{} can't be read", found.shown()));
            }
            search.scope.objects.push(found);
        }
        search.places.extend(users);
        if search.left == 0 || wanted.len() == MAX_LIBRARIES || variables.iter().any(|(_, value)| has_token(value)) {
            search.doubt(|| "what it asks for is too much, or has names to be replaced".to_owned());
        }
        search
    }

    /// True if a file can be one of the libraries, in which case the search for it ends.
    fn is_library(&mut self, file: &Path) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        self.places.push(file.to_owned());
        matches!(Kind::of(file), Ok(Kind::Ours))
    }

    /// The folders in which a file's own libraries are searched for. A DT_RPATH also applies to the libraries of its
    /// libraries.
    fn folders(&mut self, image: &Image, origin: &Path, inherited: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (before, after) = match &image.runpath {
            Some(runpath) => (Vec::new(), folders(runpath, origin)),
            None => {
                let own = folders(image.rpath.as_deref().unwrap_or_default(), origin);
                let all = own.into_iter().chain(inherited.iter().cloned()).take(MAX_FOLDERS);
                (all.collect(), Vec::new())
            }
        };
        self.places.extend(before.iter().chain(&after).cloned());
        (before, after)
    }

    /// Records what makes a listing unsafe or inexact.
    fn judge(&mut self, path: &Path, image: &Image) {
        if let Some(why) = image.unsafe_to_list {
            self.doubt(|| format!("of {} {why}", path.shown()));
        }
        let folders = image.rpath.iter().chain(&image.runpath);
        let replaced = folders.map(|text| text.replace("${ORIGIN}", "").replace("$ORIGIN", ""));
        if replaced.chain(image.needed.iter().cloned()).any(|text| text.contains('$')) {
            self.doubt(|| format!("{} has names to be replaced", path.shown()));
        }
    }

    fn doubt(&mut self, why: impl FnOnce() -> String) {
        self.doubt.get_or_insert_with(why);
    }

    /// The program's file, if nobody except root and our user can change or has chosen what the dynamic linker would load: the
    /// dynamic linker runs code of some files.
    ///
    /// # Errors
    /// The reason why it can't be used.
    fn may_be_asked(&self, path: &Path) -> Result<PathBuf, String> {
        if let Some(why) = &self.doubt {
            return Err(why.clone());
        }
        let trust = Trust::own();
        let others =
            |doubt: Doubt| format!("{} can be changed by another user, or is not a regular file", doubt.0.shown());
        let program = trust.file(path).map_err(others)?;
        // A link in /proc may lead elsewhere than its text says.
        let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        if !path.metadata().is_ok_and(|given| program.metadata().is_ok_and(|found| same(given, found))) {
            return Err(format!("{} is in another root", path.shown()));
        }
        let mut seen = BTreeSet::new();
        for place in self.places.iter().filter(|place| seen.insert(*place)) {
            trust.place(place).map_err(others)?;
            if let Some(inner) = INNER.map(|name| place.join(name)).into_iter().find(|folder| folder.exists()) {
                return Err(format!("there is {}", inner.shown()));
            }
        }
        Ok(program)
    }
}

/// True if a text contains a name that the dynamic linker replaces: `$LIB`, `$ORIGIN`.
fn has_token(text: &OsStr) -> bool {
    text.as_bytes().contains(&b'$')
}

/// The file that dlopen opens for a name: a path, or a library that the dynamic linker searches for.
pub fn file_of(name: &Path) -> Option<PathBuf> {
    if name.as_os_str().as_bytes().contains(&b'/') {
        return Some(name.to_owned());
    }
    let users = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let users = env::split_paths(&users).filter(|folder| folder.is_dir()).collect::<Vec<_>>();
    let usual = USUAL.map(PathBuf::from);
    let cached = cache().remove(name.to_string_lossy().as_ref());
    let user = users.iter().map(|folder| folder.join(name)).find(|file| file.is_file());
    user.or(cached).or_else(|| usual.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}

/// The folders of a DT_RPATH, a DT_RUNPATH or a variable. An empty one means the current folder.
fn folders(named: &str, origin: &Path) -> Vec<PathBuf> {
    let origin = origin.to_string_lossy();
    let expand = |folder: &str| match folder {
        "" => PathBuf::from("."),
        _ => PathBuf::from(folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin)),
    };
    named.split(':').filter(|_| !named.is_empty()).take(MAX_FOLDERS).map(expand).collect()
}

/// This machine's libraries according to `ldconfig -p`: name and path.
pub fn cache() -> BTreeMap<String, PathBuf> {
    let output = ["/sbin/ldconfig", "/usr/sbin/ldconfig", "ldconfig"]
        .iter()
        .find_map(|program| Command::new(program).arg("-p").stderr(Stdio::null()).output().ok());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    cached(&text)
}

fn cached(text: &str) -> BTreeMap<String, PathBuf> {
    let lines = text.lines().filter(|line| line.contains(CACHE_MARK));
    let pairs = lines.filter_map(|line| {
        let (name, path) = line.split_once(" => ")?;
        Some((name.split_whitespace().next()?.to_owned(), PathBuf::from(path.trim())))
    });
    // The first entry of each name is used.
    pairs.rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_gives_the_first_library_of_this_machine() {
        let cache = cached(
            &"\tlibx.so.1 (libc6) => /32/libx.so.1\n\tlibx.so.1 (libc6,MARK) => /a/libx.so.1\n\
              \tlibx.so.1 (libc6,MARK) => /b/libx.so.1\n"
                .replace("MARK", CACHE_MARK),
        );
        assert_eq!(cache.get("libx.so.1").unwrap(), Path::new("/a/libx.so.1"));
        assert_eq!(cache.len(), 1);
    }

    #[test]
    fn runpath_comes_before_rpath_and_origin_is_replaced() {
        let image = |rpath: &str, runpath: Option<&str>| Image {
            rpath: Some(rpath.to_owned()),
            runpath: runpath.map(str::to_owned),
            ..Image::default()
        };
        let origin = Path::new("/p/bin");
        let of = |image: Image, inherited: &str| Search::default().folders(&image, origin, &folders(inherited, origin));
        let paths = |text: &[&str]| text.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(of(image("$ORIGIN/../lib:/x", None), "/up"), (paths(&["/p/bin/../lib", "/x", "/up"]), Vec::new()));
        assert_eq!(of(image("/x", Some("${ORIGIN}")), "/up"), (Vec::new(), paths(&["/p/bin"])));
    }

    #[test]
    fn the_own_search_finds_what_the_linker_finds() {
        let own = env::current_exe().unwrap();
        let image = Image::read(&own).unwrap();
        let (asked, searched) = (of(&own, &image, &[]), of_process(&own, &image, &[]));
        let names = |scope: &Scope| {
            let mut names: Vec<_> = scope.objects.iter().map(|p| p.file_name().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&asked), names(&searched));
        let trusted = Trust::own().file(&own).is_ok();
        assert!(asked.way.contains("as ldd does") == trusted && !asked.objects.is_empty(), "{}", asked.way);
    }
}
