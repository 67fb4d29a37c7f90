//! Replays the corpus of each parser of untrusted bytes.
#![allow(clippy::unwrap_used)] // a test

use std::collections::BTreeSet;

fn replay(name: &str) {
    let check = parsers::check_of(name).unwrap();
    assert!(parsers::replay(name, check) > 0, "{name}: the corpus is empty");
}

#[test]
fn each_parser_has_a_corpus_and_no_corpus_is_without_one() {
    let folders = std::fs::read_dir(parsers::corpus()).unwrap();
    let folders: BTreeSet<_> = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, parsers::PARSERS.iter().map(|(name, _)| (*name).to_owned()).collect());
}

#[test]
fn request_buffers_and_logs_are_decoded_as_they_were_written() {
    replay("decode");
}

#[test]
fn elf_files_are_read_as_another_reader_reads_them() {
    replay("elf");
}

#[test]
fn lists_of_mappings_are_read_however_they_arrive() {
    replay("maps");
}

#[test]
fn strings_of_opari_and_files_of_regions_are_read_as_a_plain_split_does() {
    replay("opari");
}

#[test]
fn profile_files_are_read_as_they_were_written() {
    replay("profile");
}

#[test]
fn lines_of_the_race_detector_and_logs_of_threadsanitizer_are_read_as_they_were_written() {
    replay("race");
}

#[test]
fn traces_are_read_as_they_were_written_and_their_slices_nest() {
    replay("trace");
}

#[test]
fn unwind_tables_lead_to_the_caller_that_plain_rules_find() {
    replay("unwind");
}
