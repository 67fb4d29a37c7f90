use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use addr2line::gimli::{Reader, RunTimeEndian};
use object::{Object as _, ObjectSection, ObjectSymbol};
use profile_format::Object;
use tempfile::TempDir;

use super::section::{Bounded, Section};
use super::{DebugInfo, section_data};
use crate::time::TimeLeft;
use crate::{Files, Names as _, ProcessNames, are_names_missing};

const SOURCE: &str = "int squared(int x) { return x * x; }\nint main(void) { return squared(0); }\n";

/// The time in which any file must have been read, even on a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(60);

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles a source file by its name, in a new folder.
fn compiled(name: &str, text: &str, options: &[&str]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    fs::write(folder.path().join(name), text).unwrap();
    run(Command::new("cc").args(options).arg("-o").arg(&program).arg(name).current_dir(folder.path()));
    (folder, program)
}

fn address(program: &Path, function: &str) -> u64 {
    let bytes = fs::read(program).unwrap();
    let object = object::File::parse(bytes.as_slice()).unwrap();
    object.symbols().find(|symbol| symbol.name() == Ok(function)).unwrap().address()
}

/// The functions at an address, with their lines. Panics if reading them doesn't end.
fn functions(program: &Path, address: u64) -> Vec<(String, u32)> {
    let (sender, receiver) = mpsc::channel();
    let program = program.to_owned();
    thread::spawn(move || {
        let mut found = Vec::new();
        let information = DebugInfo::open(&program, None);
        let mut frames = information.as_ref().and_then(|information| information.frames(address));
        while let Some(Ok(Some(frame))) = frames.as_mut().map(|frames| frames.next()) {
            let name = frame.function.map(|function| function.raw_name().unwrap().into_owned());
            found.push((name.unwrap_or_default(), frame.location.and_then(|place| place.line).unwrap_or(0)));
        }
        sender.send(found).unwrap();
    });
    receiver.recv_timeout(MAX_WAIT).unwrap()
}

#[test]
fn a_split_unit_is_read_from_its_file_or_from_a_package_and_pipes_are_not() {
    // GNU dwp only makes packages of version 4.
    let (folder, program) = compiled("a.c", SOURCE, &["-gdwarf-4", "-gsplit-dwarf", "-O0"]);
    let at = address(&program, "squared");
    let expected = [("squared".to_owned(), 1)];
    assert_eq!(functions(&program, at), expected);
    let split = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let split = split.into_iter().find(|path| path.extension().is_some_and(|name| name == "dwo")).unwrap();
    let package = folder.path().join("program.dwp");
    if Command::new("dwp").arg(&split).arg("-o").arg(&package).output().is_ok_and(|output| output.status.success()) {
        fs::rename(&split, folder.path().join("elsewhere")).unwrap();
        assert_eq!(functions(&program, at), expected);
        fs::remove_file(&package).unwrap();
    } else {
        fs::remove_file(&split).unwrap();
    }
    // Without the names, which are in the unit; the lines are in the program itself.
    run(Command::new("mkfifo").args([&split, &package]));
    assert_eq!(functions(&program, at), [(String::new(), 1)]);
}

#[test]
fn compressed_sections_are_read_up_to_a_bound() {
    let (_folder, program) = compiled("a.c", SOURCE, &["-g", "-gz=zlib", "-O0"]);
    let at = address(&program, "squared");
    assert_eq!(functions(&program, at), [("squared".to_owned(), 1)]);
    let bytes = fs::read(&program).unwrap();
    let object = object::File::parse(bytes.as_slice()).unwrap();
    let section = object.section_by_name(".debug_info").unwrap();
    assert!(!section_data(&object, ".debug_info").is_empty());
    let (start, _) = section.file_range().unwrap();
    // `ch_size` (elf(5)): the size of the section after decompression.
    let file = fs::File::options().write(true).open(&program).unwrap();
    file.write_all_at(&(5_u64 << 30).to_ne_bytes(), start + 8).unwrap();
    assert_eq!(functions(&program, at), []);
    let bytes = fs::read(&program).unwrap();
    assert!(section_data(&object::File::parse(bytes.as_slice()).unwrap(), ".debug_info").is_empty());
}

/// A program whose debug information is what follows `code` in a unit of 64-bit addresses.
fn assembled(abbreviations: &str, entries: &str) -> (TempDir, PathBuf) {
    let text = format!(
        ".globl _start\n.text\n_start: nop\nnop\nend:\n\
         .section .debug_abbrev,\"\",%progbits\n\
         .byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n{abbreviations}\n.byte 0\n\
         .section .debug_info,\"\",%progbits\n\
         unit: .long unit_end - unit_start\nunit_start: .short 4\n.long 0\n.byte 8\n\
         .byte 1\n.quad _start\n.quad end - _start\n{entries}\n.byte 0\nunit_end:\n"
    );
    compiled("a.s", &text, &["-nostdlib", "-static"])
}

#[test]
fn entries_that_refer_to_themselves_end() {
    // A subprogram with DW_AT_abstract_origin (DW_FORM_ref4): its own offset.
    let subprogram = ".byte 2, 0x2e, 0, 0x11, 1, 0x12, 7, 0x31, 0x13, 0, 0";
    let (_folder, program) = assembled(subprogram, "own: .byte 2\n.quad _start\n.quad end - _start\n.long own - unit");
    assert_eq!(functions(&program, address(&program, "_start")), [(String::new(), 0)]);
}

#[test]
fn inlined_functions_nested_by_the_million_overflow_no_stack() {
    let subprogram = ".byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n.byte 3, 0x1d, 1, 0, 0";
    let (_folder, program) = assembled(subprogram, ".byte 2\n.quad _start\n.quad end - _start\n.fill 1000000, 1, 3");
    assert_eq!(functions(&program, address(&program, "_start")), []);
}

#[test]
fn entries_with_a_thousand_attributes_of_no_size_are_not_read() {
    let wide = |attributes| {
        let abbreviation = format!(".byte 2, 0x34, 0\n.rept {attributes}\n.byte 0x3f, 0x19\n.endr\n.byte 0, 0");
        let (_folder, program) = assembled(&abbreviation, ".fill 1000, 1, 2");
        DebugInfo::open(&program, None).is_some()
    };
    assert!(wide(1000));
    assert!(!wide(1001));
}

#[test]
fn a_section_ends_where_its_steps_do() {
    let section = |steps| {
        let bytes = Rc::new(Bounded::with_steps(&[1, 2, 3, 4, 5, 6, 0, 8], steps));
        Section::new(&bytes, 0, 8, RunTimeEndian::Little)
    };
    assert_eq!(section(2).read_u16().unwrap(), 0x0201);
    assert!(section(2).read_null_terminated_slice().is_err());
    assert_eq!(section(3).read_null_terminated_slice().unwrap().len(), 6);
    let mut short = section(7);
    let read = (0..8).filter(|_| short.read_u8().is_ok()).count();
    assert_eq!(read, 7);
}

#[test]
fn reading_ends_once_the_time_of_all_look_ups_is_used_up() {
    let bytes = Rc::new(Bounded::with_steps(&[1], 1 << 32));
    let section = Section::new(&bytes, 0, 1, RunTimeEndian::Little);
    let read = || (0..1_u64 << 32).take_while(|_| section.clone().read_u8().is_ok()).count() as u64;
    assert!(TimeLeft::of(Duration::from_millis(1)).spend(read).is_some_and(|read| read < 1 << 31));
    assert!(section.clone().read_u8().is_err());
}

/// Many units that share one long list of ranges.
fn units_with_shared_ranges() -> (TempDir, PathBuf) {
    let text = ".globl _start\n.text\n_start: nop\nnop\nend:\n\
         .section .debug_abbrev,\"\",%progbits\n\
         .byte 1, 0x11, 0, 0x55, 0x17, 0, 0, 0\n\
         .section .debug_ranges,\"\",%progbits\n.rept 5000\n.quad 1, 2\n.endr\n.quad 0, 0\n\
         .section .debug_info,\"\",%progbits\n\
         .rept 500\n.long 12\n.short 4\n.long 0\n.byte 8\n.byte 1\n.long 0\n.endr\n";
    compiled("a.s", text, &["-nostdlib", "-static"])
}

#[test]
fn files_that_take_long_share_one_time_and_the_remaining_names_are_addresses() {
    let (folder, program) = units_with_shared_ranges();
    let at = address(&program, "_start");
    let name = |files: &Files, number: u32| {
        let path = folder.path().join(format!("program-{number}"));
        _ = fs::hard_link(&program, &path);
        let path = path.to_str().unwrap().as_bytes();
        let object = Object { start: at, end: at + 2, bias: 0, since_ns: 0, build_id: b"", path };
        ProcessNames::new(files, [object]).at(at, false, 1).remove(0).function
    };
    let without_end = Files::default();
    assert_eq!(name(&without_end, 0), "_start");
    let files = Files::default().with_time(Duration::from_millis(2));
    for number in 0..10 {
        assert_eq!(name(&files, number), format!("program-{number}+{at:#x}"));
    }
    assert!(are_names_missing());
}
