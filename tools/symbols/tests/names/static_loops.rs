//! Static loops in gcc's code, held against clang's: it calls a function of LLVM's runtime for each, where the event comes from.
//! `compat-tests/static_loops.py` compares other people's sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use compat_tests::forge::fortran_is_here;
use compat_tests::requirements::CLANG;
use symbols::Files;

use super::programs::Folder;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/static_loops.cc");

fn compile(compiler: &str, flags: &[&str], product: &str) {
    let output =
        Command::new(compiler).args(["-fopenmp", "-w"]).args(flags).args(["-o", product, SOURCE]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Lines from which clang's code asks for a share, by its assembly text.
fn of_clang(folder: &Folder) -> BTreeSet<u32> {
    let product = folder.join("clang.s").display().to_string();
    compile("clang++-19", &["-g", "-O0", "-S"], &product);
    let (mut line, mut found) = (0, BTreeSet::new());
    for text in fs::read_to_string(product).unwrap().lines() {
        let mut words = text.split_whitespace();
        match words.next() {
            Some(".loc") => line = words.nth(1).unwrap().parse().unwrap(),
            Some("callq" | "call" | "bl") if text.contains("for_static_init") => _ = found.insert(line),
            _ => {}
        }
    }
    found
}

/// Lines of the loops that are found in gcc's code.
fn of_gcc(folder: &Folder, level: &str) -> BTreeSet<u32> {
    let product = folder.join(level).display().to_string();
    compile("g++", &["-g", level], &product);
    let calls = Files::default().inlined_calls(Path::new(&product)).unwrap();
    let loops = calls.known.into_iter().filter(|call| !call.site.kind.is_barrier());
    loops.map(|call| call.place.unwrap().line).collect()
}

#[test]
fn static_loops_of_gccs_code_are_those_of_clangs() {
    if !CLANG.is_here("static loops of clang's code") {
        return;
    }
    let folder = Folder::new("static_loops");
    let source = fs::read_to_string(SOURCE).unwrap();
    let text = |line: &u32| source.lines().nth(*line as usize - 1).unwrap();
    // Of a league's loop clang names the head as well.
    let directive = |line: u32| line - u32::from(text(&line).trim_start().starts_with("for ("));
    let loops: BTreeSet<u32> = of_clang(&folder).into_iter().map(directive).collect();
    let is_combined = |line: &&u32| text(line).contains("parallel for") || text(line).contains("PARALLEL_LOOP");
    let combined: BTreeSet<u32> = loops.iter().filter(is_combined).copied().collect();
    assert_eq!((loops.len(), combined.len()), (10, 5), "{loops:?}");
    assert_eq!(of_gcc(&folder, "-O0"), loops);
    // From -O1 on, only the first loop of a function makes calls.
    for level in ["-O1", "-O2", "-O3"] {
        let found = of_gcc(&folder, level);
        assert!(found.is_subset(&loops) && found.is_superset(&combined), "{level}: {found:?}, of clang {loops:?}");
    }
}

#[test]
fn loops_of_inner_procedures_of_fortran_need_no_debug_information() {
    if !fortran_is_here("loops of inner procedures") {
        return;
    }
    let folder = Folder::new("inner");
    let product = folder.join("inner").display().to_string();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/inner.f90");
    let output = Command::new("gfortran").args(["-fopenmp", "-O0", "-o", &product, source]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let calls = Files::default().inlined_calls(Path::new(&product)).unwrap();
    let kinds: Vec<bool> = calls.known.iter().map(|call| call.site.kind.is_barrier()).collect();
    assert_eq!((kinds, calls.has_lines), (vec![false], false));
}
