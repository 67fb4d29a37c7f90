//! Functions, lines and constructs under the names that the author of a program used.

use compat_tests::forge::{Language, fortran_is_here};
use object::{Object, ObjectSymbol};
use symbols::{ConstructKind, Files, Name, Names, ProcessNames};

use super::programs::{BASE, Folder, Program, object, symbol, tool};

/// Checks that the innermost name at a tag is the author's: function, line, and construct. Returns the names.
fn check(program: &Program, tag: &str, function: &str, kind: Option<ConstructKind>) -> Vec<Name> {
    let names = program.names(tag);
    let what = format!("{}, {tag}: {names:#?}", program.path.display());
    let name = names.first().unwrap_or_else(|| panic!("{what}"));
    assert_eq!(name.function, function, "{what}");
    let quoted = format!("\"{tag}\"");
    assert_eq!(name.line, program.line(&quoted), "{what}");
    let construct = name.construct.as_ref();
    assert_eq!(construct.map(|construct| construct.kind), kind, "{what}");
    if let Some(construct) = construct {
        assert_eq!(construct.line, program.line(&format!("construct {tag}")), "{what}");
        assert_eq!(construct.file, name.file, "{what}");
        assert!(construct.file.as_ref().is_some_and(|file| file.contains("/tests/programs/")), "{what}");
    }
    assert!(program.path.ends_with(&name.object), "{what}");
    names
}

fn constructs_in_c(language: Language, flags: &[&str]) {
    let program = Program::build(language, "constructs.c", flags);
    let parallel = Some(ConstructKind::Parallel);
    let task = Some(ConstructKind::Task);
    let table = [
        ("parallel", "team", parallel),
        ("team", "team", None),
        ("orphan", "orphan", None),
        ("loop", "loop", parallel),
        ("creator", "tasks", parallel),
        ("task", "tasks", task),
        ("child", "tasks", task),
        ("taskloop", "tasks", task),
        ("outer", "nested", parallel),
        ("nest", "nested", parallel),
        ("second", "often", parallel),
    ];
    for (tag, function, kind) in table {
        let names = check(&program, tag, function, kind);
        assert_eq!(names.len(), 1, "{names:?}");
    }
    let names = check(&program, "inner", "inner", None);
    let frames: Vec<_> = names.iter().map(|name| (name.function.as_str(), name.line)).collect();
    let [in_middle, in_team] = ["/* calls inner */", "/* calls middle */"].map(|mark| program.line(mark));
    let inner = program.line("\"inner\"");
    assert_eq!(frames, [("inner", inner), ("middle", in_middle), ("team", in_team)], "{:?}", program.path);
    let construct = names[2].construct.clone().unwrap();
    assert_eq!((construct.kind, construct.line), (ConstructKind::Parallel, program.line("construct parallel")));
}

#[test]
fn bodies_of_gcc_have_their_authors_names() {
    let sets = [
        &["-O0", "-g"][..],
        &["-O2", "-g"],
        &["-O2", "-gdwarf-4", "-no-pie"],
        &["-O2", "-g", "-fno-plt"],
        &["-O3", "-g", "-fcf-protection", "-Wl,-z,now"],
        &["-O2", "-g", "-flto"],
    ];
    for flags in sets {
        constructs_in_c(Language::C11, flags);
    }
}

#[test]
fn bodies_of_clang_have_their_authors_names() {
    for flags in [&["-O0", "-g"][..], &["-O2", "-g"], &["-O2", "-gdwarf-4", "-no-pie"]] {
        constructs_in_c(Language::ClangC11, flags);
    }
}

#[test]
fn bodies_in_classes_and_templates_have_their_authors_names() {
    for language in [Language::Cxx17, Language::ClangCxx17] {
        for optimized in ["-O0", "-O2"] {
            let program = Program::build(language, "classes.cc", &["-g", optimized]);
            let parallel = Some(ConstructKind::Parallel);
            let task = Some(ConstructKind::Task);
            check(&program, "built", "app::Field::Field(long)", parallel);
            check(&program, "relax", "app::Field::relax(double) const", parallel);
            check(&program, "after", "app::Field::relax(double) const", task);
            let each = check(&program, "each", &program.names("each")[0].function, parallel);
            // The compilers name lambdas differently.
            assert!(each[0].function.starts_with("app::Field::each<main::"), "{each:?}");
            let step = check(&program, "step", &program.names("step")[0].function, task);
            assert!(step[0].function.starts_with("app::Field::relax(double) const"), "{step:?}");
        }
    }
}

#[test]
fn bodies_in_fortran_have_their_authors_names() {
    if !fortran_is_here("bodies_in_fortran_have_their_authors_names") {
        return;
    }
    for optimized in ["-O0", "-O2"] {
        let program = Program::build(Language::Fortran, "heat.f90", &["-g", optimized]);
        let parallel = Some(ConstructKind::Parallel);
        check(&program, "program", "heat", None);
        check(&program, "heat", "heat", parallel);
        check(&program, "step", "grid::step", parallel);
        check(&program, "external", "external", parallel);
        check(&program, "within", "within", parallel);
    }
}

#[test]
fn a_construct_begins_before_the_first_statement_of_its_body() {
    let program = Program::build(Language::C11, "constructs.c", &["-O2", "-g"]);
    let body = symbol(&program.path, "brief._omp_fn.1");
    let names = program.names_at(body.start, false);
    assert_eq!(names[0].line, program.line("/* in brief */"), "the body has no code before that: {names:?}");
    let construct = names[0].construct.as_ref().unwrap();
    assert_eq!((construct.kind, construct.line), (ConstructKind::Task, program.line("construct brief")), "{names:?}");
}

#[test]
fn a_part_of_a_body_that_stands_elsewhere_is_of_the_same_construct() {
    let program = Program::build(Language::C11, "constructs.c", &["-O2", "-g"]);
    let part = symbol(&program.path, "team._omp_fn.0.cold");
    let names = program.names_at(part.start, false);
    let name = names.last().unwrap();
    let construct = name.construct.as_ref().unwrap();
    let begins = program.line("construct parallel");
    assert_eq!(name.function, "team", "{names:?}");
    assert_eq!((construct.kind, construct.line), (ConstructKind::Parallel, begins), "{names:?}");
}

#[test]
fn what_stands_between_the_runtime_and_a_body_is_no_frame() {
    let program = Program::build(Language::ClangC11, "constructs.c", &["-O0", "-g"]);
    let entry = symbol(&program.path, "team.omp_outlined");
    let body = symbol(&program.path, "team.omp_outlined_debug__");
    for address in entry.start + 1..entry.end {
        assert_eq!(program.names_at(address, true), [], "{address:#x}");
    }
    // A sample may still be at these addresses.
    for address in [entry.start, body.start] {
        let names = program.names_at(address, false);
        let construct = names[0].construct.as_ref().unwrap();
        assert_eq!((names[0].function.as_str(), construct.line), ("team", program.line("construct parallel")));
    }
}

#[test]
fn short_debug_information_does_not_shorten_names() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/modules.rs");
    let folder = Folder::new("short");
    let program = folder.join("modules");
    tool("rustc", &["-O", "-Cdebuginfo=line-tables-only", "-o", program.to_str().unwrap(), source]);
    let bytes = std::fs::read(&program).unwrap();
    let parsed = object::File::parse(bytes.as_slice()).unwrap();
    let work = parsed.symbols().find(|symbol| symbol.name().is_ok_and(|name| name.contains("3app4work"))).unwrap();
    let object = object(program.to_str().unwrap(), &[]);
    let names = ProcessNames::new(&Files::default(), [object]).at(BASE + work.address(), false, 0);
    let name = names.last().unwrap();
    assert!(name.function.ends_with("::app::work") && name.line > 0, "{names:?}");
    assert!(name.file.as_ref().is_some_and(|file| file.ends_with("modules.rs")), "{names:?}");
}
