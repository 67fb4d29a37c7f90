//! Kinds of races: possible ones, races between teams and tasks, next to a mutex, in a child, and of accesses in libgfortran.

use std::fs;
use std::path::Path;
use std::process::Command;

use compat_tests::requirements;
use serde_json::Value;

use super::{OPTIONS, by_clang, race};
use crate::harness::{Folder, errors, text};
use crate::skips::has;

/// Report on a version of `race_kinds.c` as JSON, with the exit code. `None` without libtsan.
fn judged(definitions: &[&str], options: &[&str]) -> Option<(Value, i32)> {
    let folder = Folder::new();
    if !has(&requirements::GCC_TSAN) {
        return None;
    }
    let program = folder.compile("race_kinds", "kinds", &[&OPTIONS, definitions].concat());
    let file = folder.file("out.json");
    let output = race(&[&["--json", "-o", file.to_str().unwrap()], options].concat(), &program, &[]);
    let object = serde_json::from_str(&fs::read_to_string(&file).unwrap()).expect("the output is JSON");
    Some((object, output.status.code().unwrap()))
}

/// Only race of the report.
fn only(object: &Value) -> &Value {
    let [race] = object["races"].as_array().unwrap().as_slice() else { panic!("{object:#}") };
    race
}

#[test]
fn races_between_chunks_of_one_thread_are_possible_ones_unless_the_user_decides() {
    let Some((object, code)) = judged(&["-DCHUNKS"], &[]) else { return };
    assert_eq!((only(&object)["why_possible"].as_str(), code), (Some("chunks of one thread"), 0));
    let (object, code) = judged(&["-DCHUNKS"], &["--chunks", "yes"]).unwrap();
    assert_eq!((only(&object)["sure"].as_bool(), code), (Some(true), 66));
    for (definitions, options) in
        [(&["-DCHUNKS", "-DCLEAN"][..], &["--chunks", "yes"][..]), (&["-DCHUNKS"], &["--chunks", "no"])]
    {
        let (object, _) = judged(definitions, options).unwrap();
        assert_eq!(object["races"].as_array().unwrap().len(), 0, "{definitions:?} {options:?}: {object:#}");
    }
}

#[test]
fn chunks_of_one_thread_may_use_what_is_the_threads_own() {
    for own in ["-DBUFFER", "-DSLOT", "-DTASKS"] {
        let Some((object, _)) = judged(&["-DCHUNKS", own], &[]) else { return };
        assert_eq!(object["races"].as_array().unwrap().len(), 0, "{own}: {object:#}");
        let (object, _) = judged(&["-DCHUNKS", own], &["--chunks", "yes"]).unwrap();
        assert_ne!(object["races"].as_array().unwrap().len(), 0, "{own}: {object:#}");
    }
}

#[test]
fn chunks_and_sections_outside_of_regions_are_in_order() {
    let Some((object, code)) = judged(&["-DORPHANED"], &["--chunks", "yes"]) else { return };
    assert_eq!((object["races"].as_array().unwrap().len(), code), (0, 0), "{object:#}");
}

#[test]
fn memory_that_is_a_threads_by_its_number_makes_a_race_a_possible_one() {
    let Some((object, code)) = judged(&["-DNUMBER"], &[]) else { return };
    assert_eq!((only(&object)["why_possible"].as_str(), code), (Some("same thread, by number"), 0));
}

#[test]
fn a_block_that_a_thread_allocated_in_the_region_makes_a_race_of_its_tasks_a_possible_one() {
    let Some((object, code)) = judged(&["-DOWN"], &[]) else { return };
    let why = only(&object)["why_possible"].as_str().unwrap_or_default();
    assert!(why.contains("a block that it allocated") && code == 0, "{code} {object:#}");
    let (object, code) = judged(&["-DOWN", "-DSERIAL"], &[]).unwrap();
    assert_eq!((only(&object)["sure"].as_bool(), code), (Some(true), 66), "{object:#}");
}

#[test]
fn a_thread_local_variable_of_a_library_that_was_loaded_later_is_the_threads_own() {
    let folder = Folder::new();
    if !has(&requirements::GCC_TSAN) {
        return;
    }
    let compile = |to: &str, options: &[&str]| folder.compile("race_kinds", to, &[&OPTIONS, options].concat());
    let library = compile("library.so", &["-DLIBRARY", "-shared", "-fPIC"]);
    let output = race(&[], &compile("loads", &["-DLOADS"]), &[library.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(errors(&output).contains("left out: a thread's own storage"), "{}", errors(&output));
}

#[test]
fn an_access_belongs_to_its_region_even_if_that_has_ended() {
    for (definitions, expected) in
        [(&["-DINNER"][..], "they are in two regions"), (&["-DINNER", "-DAFTER"], "both are in the same region")]
    {
        let Some((object, code)) = judged(definitions, &[]) else { return };
        let race = only(&object);
        assert_eq!(code, 66, "{race:#}");
        assert!(race["missing"].as_str().unwrap().starts_with(expected), "{race:#}");
    }
}

#[test]
fn varied_runs_have_several_teams_where_the_program_names_no_number() {
    let Some((object, code)) = judged(&["-DTEAMS"], &["--vary"]) else { return };
    assert_eq!((only(&object)["sure"].as_bool(), code), (Some(true), 66), "{object:#}");
    assert!(
        only(&object)["missing"].as_str().unwrap().starts_with("the teams of a league are concurrent"),
        "{object:#}"
    );
    let (object, code) = judged(&["-DTEAMS", "-DCLEAN"], &["--vary"]).unwrap();
    assert_eq!((object["races"].as_array().unwrap().len(), code), (0, 0), "{object:#}");
    // Without variation the runtime chooses the number: one.
    assert_eq!(judged(&["-DTEAMS"], &[]).unwrap().1, 0);
}

/// Below a thousand functions, ThreadSanitizer's clocks are used first in a context of the detector's.
#[test]
fn signals_are_handled_in_the_context_that_they_interrupt() {
    let folder = Folder::new();
    if !has(&requirements::GCC_TSAN) {
        return;
    }
    let program = folder.compile("signalled", "signalled", &OPTIONS);
    let output = race(&[], &program, &[]);
    assert_eq!((output.status.code(), text(&output)), (Some(0), "ticks\n".to_owned()), "{}", errors(&output));
}

#[test]
fn a_forked_child_goes_on_with_nested_tasks_though_it_is_not_checked() {
    let Some((object, code)) = judged(&["-DCHILD"], &[]) else { return };
    assert_eq!((object["races"].as_array().unwrap().len(), code), (0, 4), "{object:#}");
    let notes = object["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note.as_str().unwrap().contains("forked")), "{notes:?}");
}

#[test]
fn a_task_and_the_task_that_created_it_lack_a_taskwait() {
    let Some((object, code)) = judged(&["-DCREATOR"], &[]) else { return };
    let race = only(&object);
    assert_eq!(code, 66);
    assert!(
        race["missing"].as_str().unwrap().starts_with("nothing waits for the task created at race_kinds.c:"),
        "{race:#}"
    );
    assert!(race["likely"][0].as_str().unwrap_or_default().starts_with("`#pragma omp taskwait` before"), "{race:#}");
    assert_eq!(judged(&["-DCREATOR", "-DCLEAN"], &[]).unwrap().1, 0);
}

#[test]
fn a_value_that_both_threads_have_flushed_is_a_possible_race_with_a_form_that_can_be_followed() {
    let Some((object, code)) = judged(&["-DFLUSH"], &[]) else { return };
    let race = only(&object);
    assert_eq!((race["sure"].as_bool(), code), (Some(false), 0), "{race:#}");
    assert!(race["why_possible"].as_str().unwrap().contains("flush"), "{race:#}");
    let likely = race["likely"][0].as_str().unwrap_or_default();
    assert!(likely.contains("`#pragma omp atomic read acquire`"), "{race:#}");
    let (object, code) = judged(&["-DFLUSH", "-DONE"], &[]).unwrap();
    assert_eq!((only(&object)["sure"].as_bool(), code), (Some(true), 66), "{object:#}");
}

#[test]
fn the_functions_in_which_a_task_was_created_are_shown() {
    let Some((object, code)) = judged(&["-DCALLS"], &[]) else { return };
    assert_eq!(code, 66);
    let accesses = only(&object)["accesses"].as_array().unwrap();
    let task = accesses.iter().find(|access| access["construct"]["kind"] == "task").expect("a task");
    let created = task["construct"]["created"].as_array().unwrap();
    let functions: Vec<_> = created.iter().map(|frame| frame["function"].as_str().unwrap()).collect();
    assert_eq!(functions[..3], ["inner", "outer", "calls"], "{task:#}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_million_tasks_take_no_more_memory_than_the_first_thousands() {
    let folder = Folder::new();
    if !has(&requirements::GCC_TSAN) {
        return;
    }
    let program = folder.compile("race_kinds", "many", &[&OPTIONS[..], &["-DMANY"]].concat());
    let output = race(&[], &program, &[]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output), errors(&output));
    assert!(errors(&output).contains("1081278 tasks"), "{}", errors(&output));
}

#[test]
fn the_mutex_that_the_former_access_held_is_named() {
    let Some((object, code)) = judged(&["-DMUTEX"], &[]) else { return };
    let race = only(&object);
    assert_eq!(code, 66);
    assert_eq!(race["accesses"][1]["mutexes"][0]["kind"], "critical", "{race:#}");
    assert!(race["likely"][0].as_str().unwrap_or_default().starts_with("take the same mutex around the"), "{race:#}");
}

#[test]
fn a_print_statement_reads_what_it_prints() {
    let folder = Folder::new();
    if !has(&requirements::GCC_TSAN) {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/programs/race_io.F90");
    for (definition, code) in [("-DRACY", 66), ("-DCLEAN", 0)] {
        let mut gfortran = Command::new("gfortran");
        gfortran.args(OPTIONS).arg(definition).arg(&source);
        let Some(program) = folder.compile_by(&requirements::GFORTRAN, &mut gfortran, "io") else { return };
        let output = race(&[], &program, &[]);
        assert_eq!(output.status.code(), Some(code), "{}{}", text(&output), errors(&output));
        assert_eq!(errors(&output).contains("Data race on `value(7)`"), code == 66, "{}", errors(&output));
    }
}

#[test]
fn the_results_that_llvms_runtime_combines_are_no_races_unless_another_thread_reads_them_early() {
    let folder = Folder::new();
    for (definitions, code) in [(&[][..], 0), (&["-DRACY"], 66)] {
        let Some(program) = by_clang(&folder, "race_reductions", definitions) else { return };
        let output = race(&[], &program, &[]);
        assert_eq!(output.status.code(), Some(code), "{definitions:?}: {}", errors(&output));
        assert_eq!(errors(&output).contains("main at race_reductions.c:26"), code == 66, "{}", errors(&output));
    }
}

#[test]
fn a_sum_that_another_file_may_update_gets_no_reduction() {
    let folder = Folder::new();
    if !has(&requirements::GCC_TSAN) {
        return;
    }
    let other = folder.compile("race_other_file", "other.o", &[&OPTIONS[..], &["-c"]].concat());
    for (name, options, likely) in [
        ("one", &["-Dwork=(void)"][..], "`reduction(+:total)`, or `#pragma omp atomic`\n"),
        ("two", &[other.to_str().unwrap()], "`#pragma omp atomic`\n"),
    ] {
        let program = folder.compile("race_sum", name, &[&OPTIONS, options].concat());
        let report = errors(&race(&[], &program, &[]));
        assert!(report.contains(&format!("likely        {likely}")), "{report}");
    }
}
