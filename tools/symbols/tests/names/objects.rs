//! Objects that replace each other at an address over time.

use compat_tests::forge::Language;
use profile_format::Object;
use symbols::{Files, Name, Names, ProcessNames};

use super::programs::{BASE, Program, object};

#[test]
fn code_without_a_file_has_one_name_for_each_mapping() {
    let mut names = ProcessNames::new(&Files::default(), []);
    let unknown = Name { function: "code without a file".to_owned(), ..Name::default() };
    assert_eq!([names.at(0x1234, false, 0), names.at(0x9234, false, 0)], [[unknown.clone()], [unknown]]);
    let gone = object("/nowhere/libgone.so (deleted)", &[]);
    let mut names = ProcessNames::new(&Files::default(), [gone]);
    let expected = Name { function: "libgone.so+0x10".to_owned(), object: "libgone.so".to_owned(), ..Name::default() };
    assert_eq!(names.at(BASE + 0x10, false, 0), [expected]);
    assert_eq!(names.at(BASE - 1, false, 0)[0].object, "");
    let nameless = object("", &[]);
    let memory = Object { start: 0x5000, end: 0x6000, ..object("/memfd:jit (deleted)", &[]) };
    let mut made = ProcessNames::new(&Files::default(), [nameless, memory]);
    let mut function = |address| made.at(address, false, 0)[0].function.clone();
    let mapped = format!("code without a file, mapped at {BASE:#x}");
    assert_eq!([function(BASE + 0x10), function(BASE + 0x20)], [mapped.clone(), mapped]);
    assert_eq!([function(0x5010), function(0x5020)], ["code without a file, mapped at 0x5000"; 2]);
    // A return address may be after the object's end.
    assert_eq!(names.at(BASE + (1 << 30), true, 0)[0].object, "libgone.so");
    assert_eq!(names.at(BASE + (1 << 30), false, 0)[0].object, "");
}

#[test]
fn objects_that_replace_each_other_are_told_apart_by_time() {
    let at = |path, since_ns, start| Object { start, since_ns, ..object(path, &[]) };
    let objects = [at("/a/second", 100, BASE), at("/a/first", 10, BASE), at("/a/third", 200, BASE + 0x1000)];
    let mut names = ProcessNames::new(&Files::default(), objects);
    let mut object = |offset: u64, at_ns| names.at(BASE + offset, false, at_ns)[0].object.clone();
    assert_eq!([object(0, 10), object(0, 99), object(0, 100), object(0, 300)], ["first", "first", "second", "second"]);
    assert_eq!([object(0x1000, 99), object(0x1000, 199), object(0x1000, 200)], ["first", "second", "third"]);
    assert_eq!(object(0, 1), "first", "from before the first record of it");
}

#[test]
fn the_kernels_code_has_names() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let Some(line) = maps.lines().find(|line| line.ends_with("[vdso]")) else { return };
    let (start, end) = line.split_once(' ').unwrap().0.split_once('-').unwrap();
    let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16).unwrap());
    let bias = start;
    let vdso = Object { start, end, bias, since_ns: 0, build_id: &[], path: b"[vdso]" };
    let mut names = ProcessNames::new(&Files::default(), [vdso]);
    let found: Vec<_> = (start..end).step_by(4).map(|at| names.at(at, false, 0)[0].function.clone()).collect();
    assert!(found.iter().any(|name| name.contains("clock_gettime")), "{found:?}");
    let mut other = ProcessNames::new(&Files::default(), [Object { build_id: &[1; 20], ..vdso }]);
    assert!(other.at(start, false, 0)[0].function.starts_with("[vdso]+0x"), "of another kernel");
}

#[test]
fn processes_share_files_and_find_the_same_at_other_addresses() {
    let program = Program::build(Language::C11, "constructs.c", &["-O2", "-g"]);
    let files = Files::default();
    let path = program.path.to_str().unwrap();
    let at = |base: u64| Object { start: base, end: base + (1 << 30), bias: base, ..object(path, &[]) };
    let returns = program.returns("inner");
    let of = |base: u64| ProcessNames::new(&files, [at(base)]).at(base + returns, true, 0);
    assert_eq!(of(BASE), of(BASE + 0x1000_0000));
    assert_eq!(of(BASE), program.names("inner"));
}
