//! Stand-ins: tiny ELF files that are named in LD_PRELOAD in place of the command's libraries.
//!
//! A preloaded library must suit every program that inherits the variable. musl's dynamic linker ends a program if a preloaded library
//! needs something that is missing, as ours need glibc. A stand-in needs nothing. It names its library as an *auxiliary filter*
//! (DT_AUXILIARY): glibc's dynamic linker loads that library at the stand-in's place in the lookup order, or continues without it; musl's
//! ignores the entry.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the installation of `ora`"))]

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use terminal::printable::Shown;

use anyhow::{Context, Result};
use system::arch::{ELF_MACHINE, PAGE_SIZE};

use crate::libraries;

/// Folder of the stand-ins, below that of the command's own libraries.
const FOLDER: &str = "preload";

/// Path to preload for a library. For one of ours that is the path of its stand-in, which is created if necessary; if the folder isn't
/// writable, it is the library itself.
pub(crate) fn of(library: &Path) -> PathBuf {
    let name =
        library.file_name().map(|name| if name == libraries::VERSIONED { libraries::LIBRARY.as_ref() } else { name });
    let name = name.filter(|name| libraries::ALL.iter().any(|ours| ours == name));
    let (Some(folder), Some(name)) = (library.parent(), name) else { return library.to_owned() };
    // An installation has them in one place, next to the libraries that only the command preloads.
    let installed = folder.join("ora").join(FOLDER).join(name);
    let beside = folder.join(FOLDER).join(name);
    if installed.is_file() {
        return installed;
    }
    let name = name.to_string_lossy();
    // The name that programs which are linked to the library of a build ask for.
    let soname = if name == libraries::LIBRARY { libraries::VERSIONED } else { &name };
    let current = fs::read(&beside).is_ok_and(|there| there == bytes(&auxiliary("..", &name), soname));
    if current || write(&beside, "..", &name, soname).is_ok() { beside } else { library.to_owned() }
}

/// Writes the stand-ins of an installation whose libraries are in `lib` and `lib/ora`.
///
/// # Errors
/// If a file can't be written.
pub(crate) fn install(lib: &Path) -> Result<()> {
    let own = lib.join("ora").join(FOLDER);
    for name in libraries::ALL {
        let way = if name == libraries::LIBRARY { "../.." } else { ".." };
        let path = own.join(name);
        // A versioned library has a link with the plain name, and programs request its own name.
        let target = fs::read_link(lib.join(name)).ok();
        let soname = target.as_deref().and_then(Path::file_name).and_then(OsStr::to_str).unwrap_or(name);
        write(&path, way, soname, soname).with_context(|| format!("cannot write {}", path.shown()))?;
    }
    Ok(())
}

/// Writes a new file and then gives it the name, because others may be reading the old one.
fn write(path: &Path, way: &str, name: &str, soname: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
    let new = path.with_extension(format!("new-{}", std::process::id()));
    let made = fs::write(&new, bytes(&auxiliary(way, name), soname))
        .and_then(|()| fs::set_permissions(&new, fs::Permissions::from_mode(0o644)))
        .and_then(|()| fs::rename(&new, path));
    if made.is_err() {
        let _ = fs::remove_file(&new);
    }
    made
}

/// Path of the library, relative to its stand-in.
fn auxiliary(way: &str, name: &str) -> String {
    format!("$ORIGIN/{way}/{name}")
}

/// Sizes of the ELF header, of a program header, and of a symbol (ELF-64 Object File Format, 3, 6 and 5).
const HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;
const SYMBOL: u64 = 24;

/// Shared object for this machine with no code, no symbols and no dependency, but with that auxiliary filter. It has the SONAME of its
/// library, so that a program that is linked to the library finds it loaded.
fn bytes(auxiliary: &str, soname: &str) -> Vec<u8> {
    const DT_NULL: u64 = 0;
    const DT_HASH: u64 = 4;
    const DT_STRTAB: u64 = 5;
    const DT_SYMTAB: u64 = 6;
    const DT_STRSZ: u64 = 10;
    const DT_SYMENT: u64 = 11;
    const DT_SONAME: u64 = 14;
    const DT_AUXILIARY: u64 = 0x7fff_fffd;
    // The dynamic linker rejects a segment that is aligned to less than a page.
    const LARGEST_PAGE: u64 = 0x1_0000;
    let page = PAGE_SIZE.map_or(LARGEST_PAGE, |size| size as u64);

    let strings: Vec<u8> = [b"\0", auxiliary.as_bytes(), b"\0", soname.as_bytes(), b"\0"].concat();
    let symbols = HEADER + 3 * PROGRAM_HEADER;
    let hash = symbols + SYMBOL;
    let dynamic = hash + 16;
    let entries = 8;
    let text = dynamic + entries * 16;
    let size = text + strings.len() as u64;

    let mut file = header();
    // glibc writes addresses into the dynamic section. Without PT_GNU_STACK it would make every stack executable.
    let (load, dynamics, stack) = (1_u32, 2_u32, 0x6474_e551_u32);
    for (kind, offset, length, align) in
        [(load, 0, size, page), (dynamics, dynamic, entries * 16, 8), (stack, 0, 0, 16)]
    {
        file.extend(kind.to_le_bytes());
        let readable_and_writable = 6_u32;
        file.extend(readable_and_writable.to_le_bytes());
        [offset, offset, offset, length, length, align].iter().for_each(|word| file.extend(word.to_le_bytes()));
    }
    // The null symbol, and a hash table that contains no other.
    file.extend([0; 24]);
    [1_u32, 1, 0, 0].iter().for_each(|word| file.extend(word.to_le_bytes()));
    for (tag, value) in [
        (DT_AUXILIARY, 1),
        (DT_SONAME, 1 + auxiliary.len() as u64 + 1),
        (DT_HASH, hash),
        (DT_STRTAB, text),
        (DT_SYMTAB, symbols),
        (DT_STRSZ, strings.len() as u64),
        (DT_SYMENT, SYMBOL),
        (DT_NULL, 0),
    ] {
        file.extend(tag.to_le_bytes());
        file.extend(value.to_le_bytes());
    }
    file.extend(strings);
    file
}

/// Header of the file.
fn header() -> Vec<u8> {
    let mut file = Vec::new();
    // 64 bits, little endian, version 1, System V; ET_DYN, the machine, version 1.
    file.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0");
    file.extend(ELF_MACHINE.to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    // No entry point; the program headers; no sections; no flags.
    [0, HEADER, 0].iter().for_each(|word: &u64| file.extend(word.to_le_bytes()));
    file.extend(0_u32.to_le_bytes());
    for half in [64_u16, 56, 3, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Image;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_stand_in_is_an_object_that_needs_nothing_and_has_no_executable_stack() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let library = folder.join(libraries::GUARD);
        fs::write(&library, "").unwrap();
        let made = of(&library);
        assert_eq!(made, folder.join("preload/libora_guard.so"));
        let image = Image::read(&made).unwrap();
        assert!(image.needed.is_empty() && image.imports.is_empty() && image.interpreter.is_none());
        let bytes = fs::read(&made).unwrap();
        assert_eq!(bytes[18..20], fs::read(std::env::current_exe().unwrap()).unwrap()[18..20], "the machine");
        let stack = &bytes[64 + 2 * 56..][..8];
        assert_eq!(stack, [0x51, 0xe5, 0x74, 0x64, 6, 0, 0, 0]);
        assert!(bytes.ends_with(b"\0$ORIGIN/../libora_guard.so\0libora_guard.so\0"));
    }

    #[test]
    fn an_installation_has_its_stand_ins_below_its_own_folder() {
        let scratch = tempfile::tempdir().unwrap();
        let lib = scratch.path();
        fs::write(lib.join("libora.so.7"), "").unwrap();
        symlink("libora.so.7", lib.join(libraries::LIBRARY)).unwrap();
        install(lib).unwrap();
        for name in [libraries::LIBRARY, libraries::VERSIONED] {
            assert_eq!(of(&lib.join(name)), lib.join("ora/preload").join(libraries::LIBRARY));
        }
        assert!(
            fs::read(lib.join("ora/preload/libora.so")).unwrap().ends_with(b"$ORIGIN/../../libora.so.7\0libora.so.7\0")
        );
        assert!(
            fs::read(lib.join("ora/preload/libora_guard.so"))
                .unwrap()
                .ends_with(b"$ORIGIN/../libora_guard.so\0libora_guard.so\0")
        );
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_leaves_the_library_itself() {
        assert_eq!(of(Path::new("/proc/self/libora.so")), Path::new("/proc/self/libora.so"));
    }

    #[test]
    fn a_library_of_the_users_is_preloaded_as_it_is() {
        assert_eq!(of(Path::new("/tmp/libmine.so")), Path::new("/tmp/libmine.so"));
    }
}
