//! Programs without debug information of their own: in a separate file, or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use compat_tests::forge::Language;
use object::Object;
use symbols::{ConstructKind, Files, Name, Names, ProcessNames};

use super::programs::{BASE, Folder, Program, object, symbol, tool};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn build_id(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    object::File::parse(bytes.as_slice()).unwrap().build_id().unwrap().unwrap().to_vec()
}

/// Compiles a program; returns it, a stripped copy of it in the folder, and the stripped debug file.
fn split(folder: &Path, flags: &[&str]) -> (Program, PathBuf, PathBuf) {
    let program = Program::build(Language::C11, "constructs.c", &[&["-O2", "-g"], flags].concat());
    let (copy, debug) = (folder.join("copy"), folder.join("copy.debug"));
    tool("objcopy", &["--only-keep-debug", "--compress-debug-sections", text(&program.path), text(&debug)]);
    tool("strip", &["-o", text(&copy), text(&program.path)]);
    (program, copy, debug)
}

/// True if the names are those of the whole program, except for its file name.
fn is_whole(program: &Program, names: Vec<Name>, tag: &str) -> bool {
    let object = names.first().map(|name| name.object.clone()).unwrap_or_default();
    let whole = program.names(tag).into_iter().map(|name| Name { object: object.clone(), ..name });
    whole.collect::<Vec<_>>() == names
}

#[test]
fn a_debug_file_is_found_by_its_link() {
    let folder = Folder::new("link");
    let (program, copy, debug) = split(&folder, &["-Wl,--build-id=none"]);
    let link = format!("--add-gnu-debuglink={}", text(&debug));
    tool("objcopy", &[&link, text(&copy)]);
    for tag in ["inner", "task", "nest"] {
        assert!(is_whole(&program, program.names_of(&copy, tag), tag), "beside the program");
    }
    let hidden = folder.join(".debug");
    fs::create_dir(&hidden).unwrap();
    fs::rename(&debug, hidden.join("copy.debug")).unwrap();
    assert!(is_whole(&program, program.names_of(&copy, "inner"), "inner"), "in the folder .debug");
    let root = folder.join("root");
    let below = root.join(copy.canonicalize().unwrap().parent().unwrap().strip_prefix("/").unwrap());
    fs::create_dir_all(&below).unwrap();
    fs::rename(hidden.join("copy.debug"), below.join("copy.debug")).unwrap();
    let files = Files::with_debug_files_in(&root, None);
    assert!(is_whole(&program, program.names_by(&files, &copy, &[], "inner"), "inner"), "below the root");
    assert!(!is_whole(&program, program.names_of(&copy, "inner"), "inner"), "not found");
    // Another file of that name has another checksum.
    let mut bytes = fs::read(below.join("copy.debug")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(below.join("copy.debug"), bytes).unwrap();
    let files = Files::with_debug_files_in(&root, None);
    assert!(program.names_by(&files, &copy, &[], "inner")[0].function.starts_with("copy+0x"), "a wrong checksum");
}

#[test]
fn the_place_of_a_call_has_its_line_from_a_debug_file() {
    let folder = Folder::new("call");
    let (program, copy, debug) = split(&folder, &["-Wl,--build-id=none"]);
    tool("objcopy", &[&format!("--add-gnu-debuglink={}", text(&debug)), text(&copy)]);
    let place = program.place_of_call(&copy, "inner");
    assert!(place.line().is_some(), "{place:?}");
    assert_eq!(place, program.place_of_call(&program.path, "inner"));
    fs::remove_file(&debug).unwrap();
    assert_eq!(program.place_of_call(&copy, "inner").line(), None);
}

#[test]
fn a_debug_file_is_found_by_its_build_id() {
    let folder = Folder::new("id");
    let (program, copy, debug) = split(&folder, &["-Wl,--build-id=sha1"]);
    let id = build_id(&copy);
    assert_eq!(id.len(), 20);
    let name: String = id[1..].iter().map(|byte| format!("{byte:02x}")).collect();
    let there = folder.join(format!("root/.build-id/{:02x}", id[0]));
    fs::create_dir_all(&there).unwrap();
    let there = there.join(format!("{name}.debug"));
    fs::rename(&debug, &there).unwrap();
    let names = |path: &Path, id: &[u8]| {
        program.names_by(
            &Files::with_debug_files_in(&folder.join("root"), Some(&folder.join("fetched"))),
            path,
            id,
            "task",
        )
    };
    assert!(is_whole(&program, names(&copy, &[]), "task"));
    assert!(is_whole(&program, names(&copy, &id), "task"));
    // In the cache of a debuginfod client.
    let whole: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let fetched = folder.join("fetched").join(whole);
    fs::create_dir_all(&fetched).unwrap();
    fs::rename(&there, fetched.join("debuginfo")).unwrap();
    assert!(is_whole(&program, names(&copy, &[]), "task"));
    fs::rename(fetched.join("debuginfo"), &there).unwrap();
    // Without the code the launches of bodies are unknown; their names and lines are known.
    let gone = names(&folder.join("gone"), &id);
    let construct = gone[0].construct.as_ref().map(|construct| (construct.kind, construct.line));
    assert_eq!((gone[0].function.as_str(), gone[0].line), ("tasks", program.line("\"task\"")));
    assert_eq!(construct, Some((ConstructKind::Other, program.line("construct task"))));
    // A file of another build is not used.
    fs::copy(Program::build(Language::C11, "constructs.c", &["-O1", "-g", "-Wl,--build-id=sha1"]).path, &there)
        .unwrap();
    assert!(names(&copy, &id)[0].function.starts_with("copy+0x"));
}

#[test]
fn a_file_of_another_build_has_no_names() {
    let program = Program::build(Language::C11, "constructs.c", &["-O2", "-g", "-Wl,--build-id=sha1"]);
    let id = build_id(&program.path);
    let other: Vec<u8> = id.iter().rev().copied().collect();
    let short = program.path.file_name().unwrap().to_str().unwrap();
    let nothing = format!("{short}+{:#x}", program.returns("task") - 1);
    let names = program.names_by(&Files::default(), &program.path, &other, "task");
    assert_eq!(names, [Name { function: nothing, object: short.to_owned(), ..Name::default() }]);
    assert!(is_whole(&program, program.names_by(&Files::default(), &program.path, &id, "task"), "task"));
}

#[test]
fn in_a_stripped_file_functions_are_known_by_their_beginning() {
    let folder = Folder::new("stripped");
    let (program, copy, _) = split(&folder, &["-Wl,--build-id=none"]);
    let names = program.names_of(&copy, "orphan");
    let [Name { function, file: None, line: 0, construct: None, .. }] = names.as_slice() else { panic!("{names:?}") };
    let begin = u64::from_str_radix(function.strip_prefix("copy+0x").unwrap(), 16).unwrap();
    assert_eq!(begin, symbol(&program.path, "orphan").start, "{names:?}");
}

#[test]
fn without_debug_information_symbols_are_names() {
    let program = Program::build(Language::C11, "constructs.c", &["-O2"]);
    let names = program.names("task");
    let construct = names[0].construct.as_ref().unwrap();
    assert_eq!((names[0].function.as_str(), names[0].line), ("tasks", 0));
    assert_eq!((construct.kind, construct.line), (ConstructKind::Task, 0));
    // Exports of a stripped library are still known, and their names are given to no other function.
    let folder = Folder::new("exported");
    let flags = ["-O2", "-shared", "-fPIC"];
    let library = super::programs::forge().build(
        Language::C11,
        &[&format!("{}/tests/programs/constructs.c", env!("CARGO_MANIFEST_DIR"))],
        &[&flags[..], &["-fopenmp"]].concat(),
        ".so",
    );
    let copy = folder.join("exported.so");
    tool("strip", &["-o", text(&copy), text(&library)]);
    let address = |name: &str| symbol(&library, name).start;
    let mut names = ProcessNames::new(&Files::default(), [object(text(&copy), &[])]);
    let mut function = |name: &str| names.at(BASE + address(name) + 1, false, 0)[0].function.clone();
    assert_eq!(function("team"), "team");
    assert_eq!(function("orphan"), format!("exported.so+{:#x}", address("orphan")));
}
