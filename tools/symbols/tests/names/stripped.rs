//! Constructs in files without symbols.

use compat_tests::forge::Language;
use compat_tests::llvm::clang_is_here;
use symbols::{ConstructKind, Name};

use super::programs::{Folder, Program, symbol, tool};

/// Checks that each body belongs to a construct in its author's function, which is identified by its start.
fn bodies_are_their_authors(language: Language, flags: &[&str]) {
    let program = Program::build(language, "constructs.c", flags);
    let folder = Folder::new(&format!("bodies-{language:?}{}", flags.concat()));
    let copy = folder.join("copy");
    tool("strip", &["-o", copy.to_str().unwrap(), program.path.to_str().unwrap()]);
    let (parallel, task) = (ConstructKind::Parallel, ConstructKind::Task);
    let table = [
        ("parallel", "team", parallel),
        ("loop", "loop", parallel),
        ("creator", "tasks", parallel),
        ("task", "tasks", task),
        ("child", "tasks", task),
        ("taskloop", "tasks", task),
        ("outer", "nested", parallel),
        ("nest", "nested", parallel),
        ("first", "often", parallel),
        ("second", "often", parallel),
    ];
    for (tag, author, kind) in table {
        let names = program.names_of(&copy, tag);
        let what = format!("{}, {tag}: {names:#?}", program.path.display());
        let [Name { function, file: None, line: 0, construct: Some(construct), .. }] = names.as_slice() else {
            panic!("{what}")
        };
        let author = symbol(&program.path, author);
        assert_eq!(function, &format!("copy+{:#x}", author.start), "{what}");
        assert_eq!((construct.kind, construct.line, &construct.file), (kind, 0, &None), "{what}");
        let call = construct.call.as_ref().and_then(|call| call.strip_prefix("copy+0x")).expect(&what);
        let call = u64::from_str_radix(call, 16).unwrap();
        let bodies_too = ["task", "child", "taskloop", "nest"].contains(&tag);
        assert!(bodies_too || author.contains(&call), "{what}");
    }
    for tag in ["team", "orphan"] {
        assert_eq!(program.names_of(&copy, tag)[0].construct, None, "{tag} is no body");
    }
}

#[test]
fn bodies_are_those_whose_addresses_libgomp_gets() {
    for flags in [
        &["-O0"][..],
        &["-O0", "-no-pie"],
        &["-O2"],
        &["-O2", "-no-pie"],
        &["-O2", "-fno-plt"],
        &["-O3", "-fcf-protection"],
    ] {
        bodies_are_their_authors(Language::C11, flags);
    }
}

#[test]
fn bodies_are_those_whose_addresses_libomp_gets() {
    if clang_is_here("bodies_are_those_whose_addresses_libomp_gets") {
        bodies_are_their_authors(Language::ClangC11, &["-O2"]);
    }
}
