//! The head of an executable file, which shows whether the program that it starts can load a library for this machine
//! and glibc.

use crate::system::File;
use ::system::arch::ELF_MACHINE;
use ::system::elf::{Header, ProgramHeader};
use std::ffi::CStr;

/// Maximum number of nested script interpreters, the same as the kernel's (execve(2)).
const DEPTH: usize = 5;
/// Maximum length of a path that is examined.
pub(crate) const PATH: usize = 4096;

/// Ability of a program to load libraries that are built for glibc on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The program can load them.
    Takes,
    /// The program doesn't use a dynamic linker, and passes its environment on.
    Static,
    /// The program is built for another machine or C library.
    Not,
    /// The program can't be read, or its format is unknown here.
    Unknown,
}

/// Ability of the program in an open file; follows the interpreters of scripts.
pub(crate) fn fit(file: &File) -> Fit {
    follow(file, DEPTH)
}

fn follow(file: &File, depth: usize) -> Fit {
    let mut head = [0; 256];
    let length = file.read_at(0, &mut head);
    let head = head.get(..length).unwrap_or_default();
    if let Some(line) = head.strip_prefix(b"#!") {
        return interpreter_of_script(line, depth);
    }
    if !head.starts_with(b"\x7fELF") || head.len() < 64 {
        return Fit::Unknown;
    }
    match Header::read(head) {
        Some(header) if header.machine == ELF_MACHINE => by_linker(file, &header),
        _ => Fit::Not,
    }
}

fn interpreter_of_script(line: &[u8], depth: usize) -> Fit {
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    let name = line.split(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or_default();
    let mut path = [0; 256];
    let (Some(to), Some(depth)) = (path.get_mut(..name.len()), depth.checked_sub(1)) else { return Fit::Unknown };
    to.copy_from_slice(name);
    let opened = CStr::from_bytes_until_nul(&path).ok().and_then(|path| File::open_at(libc::AT_FDCWD, path.as_ptr()));
    opened.map_or(Fit::Unknown, |file| follow(&file, depth))
}

/// Ability according to the dynamic linker that the program names.
fn by_linker(file: &File, header: &Header) -> Fit {
    for number in 0..u64::from(header.program_header_count) {
        let mut bytes = [0; ProgramHeader::SIZE];
        let at = header.program_headers.saturating_add(number * ProgramHeader::SIZE as u64);
        let whole = file.read_at(at, &mut bytes) == bytes.len();
        let Some(segment) = ProgramHeader::read(&bytes).filter(|_| whole) else { return Fit::Unknown };
        if segment.kind == ProgramHeader::INTERPRETER {
            let mut name = [0; 256];
            let length = file.read_at(segment.offset, &mut name);
            return if is_glibcs(name.get(..length).unwrap_or_default()) { Fit::Takes } else { Fit::Not };
        }
    }
    Fit::Static
}

/// True for glibc's dynamic linker, by its name: `ld-linux-x86-64.so.2` everywhere, and `ld-lsb-x86-64.so.3` as the
/// Linux Standard Base calls it.
fn is_glibcs(interpreter: &[u8]) -> bool {
    let path = interpreter.split(|byte| *byte == 0).next().unwrap_or_default();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    name.starts_with(b"ld-linux") || name.starts_with(b"ld-lsb")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    fn fit_of(content: &[u8]) -> Fit {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, content).unwrap();
        let name = CString::new(file.path().as_os_str().as_bytes()).unwrap();
        fit(&File::open_at(libc::AT_FDCWD, name.as_ptr()).unwrap())
    }

    /// An ELF file with one program header, which names this interpreter.
    fn program(class: u8, machine: u16, interpreter: &str) -> Vec<u8> {
        let mut file = vec![0; 64 + 56];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1]);
        file[18..20].copy_from_slice(&machine.to_le_bytes());
        file[32..40].copy_from_slice(&64_u64.to_le_bytes());
        file[56..58].copy_from_slice(&1_u16.to_le_bytes());
        file[64..68].copy_from_slice(&3_u32.to_le_bytes());
        file[72..80].copy_from_slice(&120_u64.to_le_bytes());
        file.extend(interpreter.as_bytes());
        file.push(0);
        file
    }

    #[test]
    fn a_program_takes_libraries_that_are_for_its_machine_and_c_library() {
        assert_eq!(fit_of(&program(2, ELF_MACHINE, "/lib64/ld-linux-x86-64.so.2")), Fit::Takes);
        assert_eq!(fit_of(&program(2, ELF_MACHINE, "/nix/store/x-glibc/lib/ld-linux-aarch64.so.1")), Fit::Takes);
        assert_eq!(fit_of(&program(2, ELF_MACHINE, "/lib/ld-musl-x86_64.so.1")), Fit::Not);
        assert_eq!(fit_of(&program(2, ELF_MACHINE, "/system/bin/linker64")), Fit::Not);
        assert_eq!(fit_of(&program(1, 3, "/lib/ld-linux.so.2")), Fit::Not);
        assert_eq!(fit_of(&program(2, 21, "/lib64/ld64.so.2")), Fit::Not);
    }

    #[test]
    fn a_static_program_and_what_is_unknown_keep_what_they_have() {
        let mut without = program(2, ELF_MACHINE, "");
        without[64] = 1;
        assert_eq!(fit_of(&without), Fit::Static);
        assert_eq!(fit_of(b"\x7fELF\x02\x01"), Fit::Unknown);
        assert_eq!(fit_of(b"echo a script without a first line"), Fit::Unknown);
        assert_eq!(fit_of(b""), Fit::Unknown);
    }

    #[test]
    fn a_script_is_as_its_interpreter() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path();
        fs::write(path, program(2, ELF_MACHINE, "/lib/ld-musl-x86_64.so.1")).unwrap();
        assert_eq!(fit_of(format!("#! {} -x\nrest", path.display()).as_bytes()), Fit::Not);
        fs::write(path, program(2, ELF_MACHINE, "/lib64/ld-linux-x86-64.so.2")).unwrap();
        assert_eq!(fit_of(format!("#!{}", path.display()).as_bytes()), Fit::Takes);
        fs::write(path, format!("#!{}", path.display())).unwrap();
        assert_eq!(fit_of(format!("#!{}\n", path.display()).as_bytes()), Fit::Unknown, "a circle ends");
    }
}
