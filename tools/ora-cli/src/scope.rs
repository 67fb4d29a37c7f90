//! Libraries that the dynamic linker would load with a program, in its order: by asking the program's own linker, else
//! by a search in the same folders.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use system::arch::{CACHE_MARK, LINKER, LINKER_NAME};

use crate::image::{Image, Kind};

/// Default folders of the dynamic linker.
const USUAL: [&str; 4] = ["/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// The libraries of a program.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// Paths, in the order that symbols are looked up. The program itself comes before all of them.
    pub(crate) objects: Vec<PathBuf>,
    /// Names that were not found.
    pub(crate) missing: Vec<String>,
    /// Complaints of the dynamic linker.
    pub(crate) complaints: Vec<String>,
    /// Method by which the scope was found.
    pub(crate) way: String,
}

/// True if this is glibc's dynamic linker for this machine.
pub(crate) fn is_glibc(interpreter: &str) -> bool {
    Path::new(interpreter).file_name() == Some(OsStr::new(LINKER_NAME))
}

/// The scope that a program would have. `variables`: those of its environment that matter.
pub(crate) fn of(path: &Path, image: &Image, variables: &[(&str, OsString)]) -> Scope {
    if is_systems(image.interpreter.as_deref().unwrap_or(LINKER))
        && let Some(scope) = ask(path, variables)
    {
        return scope;
    }
    search(path, image, variables)
}

/// True if a program's interpreter is this system's own dynamic linker, which only root can have put there. Any other
/// file would be code of the program's, whatever its name.
fn is_systems(interpreter: &str) -> bool {
    let resolved = |path: &str| Path::new(path).canonicalize().ok();
    let Some(linker) = resolved(LINKER) else { return false };
    let roots_own = linker.metadata().is_ok_and(|file| file.uid() == 0 && file.mode() & 0o022 == 0);
    roots_own && resolved(interpreter) == Some(linker)
}

/// Asks the dynamic linker, which loads everything but runs nothing.
fn ask(path: &Path, variables: &[(&str, OsString)]) -> Option<Scope> {
    // A name without a slash would be searched as a library.
    let path = path.canonicalize().ok()?;
    let mut command = Command::new(LINKER);
    // As ldd does: `--list` stops at the first library that is missing.
    command.arg(path).stdin(Stdio::null()).env("LC_ALL", "C").env("LD_TRACE_LOADED_OBJECTS", "1");
    for variable in ["LD_DEBUG", "LD_DEBUG_OUTPUT", "LD_PRELOAD", "LD_LIBRARY_PATH"] {
        command.env_remove(variable);
    }
    let output = command.envs(variables.iter().map(|(name, value)| (name, value))).output().ok()?;
    let mut scope = listed(&String::from_utf8_lossy(&output.stdout));
    scope.complaints = String::from_utf8_lossy(&output.stderr).lines().map(|line| line.trim().to_owned()).collect();
    scope.way = format!("asked {LINKER} as ldd does, which runs nothing of the program");
    (!scope.objects.is_empty() || !scope.missing.is_empty() || !scope.complaints.is_empty()).then_some(scope)
}

fn listed(text: &str) -> Scope {
    let mut scope = Scope::default();
    for line in text.lines().map(str::trim) {
        let (name, place) = line.split_once(" => ").unwrap_or(("", line));
        if place.starts_with("not found") {
            scope.missing.push(name.to_owned());
        } else if let Some((path, _)) = place.rsplit_once(" (0x")
            && path.contains('/')
        {
            scope.objects.push(PathBuf::from(path));
        }
    }
    scope
}

/// Looks for the libraries where ld.so(8) says that they are looked for, breadth first.
fn search(path: &Path, image: &Image, variables: &[(&str, OsString)]) -> Scope {
    let known = cache();
    let variable = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.clone());
    let users: Vec<PathBuf> = variable("LD_LIBRARY_PATH").iter().flat_map(env::split_paths).collect();
    let mut scope = Scope { way: "searched as ld.so(8) says".to_owned(), ..Scope::default() };
    let preload = variable("LD_PRELOAD").unwrap_or_default().to_string_lossy().into_owned();
    let preloaded = preload.split([':', ' ']).filter(|name| !name.is_empty()).map(str::to_owned);
    let folder = |of: &Path| of.canonicalize().ok().and_then(|p| p.parent().map(Path::to_owned)).unwrap_or_default();
    let mut wanted: Vec<(String, Vec<PathBuf>)> = preloaded.map(|name| (name, Vec::new())).collect();
    wanted.extend(image.needed.iter().map(|name| (name.clone(), folders(image, &folder(path)))));
    let mut at = 0;
    while let Some((name, own)) = wanted.get(at).cloned() {
        at += 1;
        let cached = known.get(name.as_str()).map(|path| path.parent().unwrap_or(Path::new("/")).to_owned());
        let usual = USUAL.map(PathBuf::from);
        let places = own.into_iter().chain(users.iter().cloned()).chain(cached).chain(usual);
        let candidates: Vec<PathBuf> =
            if name.contains('/') { vec![PathBuf::from(&name)] } else { places.map(|p| p.join(&name)).collect() };
        let Some(found) = candidates.into_iter().find(|file| matches!(Kind::of(file), Ok(Kind::Ours))) else {
            scope.missing.push(name);
            continue;
        };
        if let Ok(image) = Image::read(&found) {
            for needed in &image.needed {
                if !wanted.iter().any(|(name, _)| name == needed) {
                    wanted.push((needed.clone(), folders(&image, &folder(&found))));
                }
            }
        }
        scope.objects.push(found);
    }
    scope
}

/// The file that dlopen takes for a name: a path, or what the dynamic linker looks for.
pub(crate) fn file_of(name: &Path) -> Option<PathBuf> {
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

/// Folders that a file names for its own libraries.
fn folders(image: &Image, origin: &Path) -> Vec<PathBuf> {
    let named = image.runpath.as_deref().or(image.rpath.as_deref()).unwrap_or_default();
    let origin = origin.to_string_lossy();
    let expand = |folder: &str| PathBuf::from(folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin));
    named.split(':').filter(|folder| !folder.is_empty()).map(expand).collect()
}

/// This machine's libraries by `ldconfig -p`: name and path.
pub(crate) fn cache() -> BTreeMap<String, PathBuf> {
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
    // The first of a name is the one that is taken.
    pairs.rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_in_its_order() {
        let scope = listed(
            "\tlinux-vdso.so.1 (0x00007ffd)\n\t/o/libora.so (0x00007f01)\n\tlibgomp.so.1 => /l/libgomp.so.1 (0x00007f02)\n\
             \tlibnone.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f03)\n",
        );
        let objects: Vec<_> = scope.objects.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        assert_eq!(objects, ["/o/libora.so", "/l/libgomp.so.1", "/lib64/ld-linux-x86-64.so.2"]);
        assert_eq!(scope.missing, ["libnone.so"]);
    }

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
        assert_eq!(folders(&image("$ORIGIN/../lib:/x", None), origin), [PathBuf::from("/p/bin/../lib"), "/x".into()]);
        assert_eq!(folders(&image("/x", Some("${ORIGIN}")), origin), [PathBuf::from("/p/bin")]);
    }

    #[test]
    fn the_own_search_finds_what_the_linker_finds() {
        let own = env::current_exe().unwrap();
        let image = Image::read(&own).unwrap();
        let (asked, searched) = (of(&own, &image, &[]), search(&own, &image, &[]));
        let names = |scope: &Scope| {
            let mut names: Vec<_> = scope.objects.iter().map(|p| p.file_name().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&asked), names(&searched));
        assert!(asked.way.contains("as ldd does") && !asked.objects.is_empty());
    }
}
