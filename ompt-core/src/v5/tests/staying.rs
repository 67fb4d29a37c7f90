//! How a tool comes and goes.

use super::runtime::{alone, initial, region};
use super::tool::{Tool, callback, entry, set};
use crate::dispatch::{self, Face};
use crate::event::EventSet;
use crate::v5;
use crate::v5::types::ompt_callbacks_t::*;
use crate::v5::types::ompt_set_result_t::ompt_set_error;
use crate::v5::types::*;

fn finalize_tool() {
    let finalize: ompt_finalize_tool_t = entry(c"ompt_finalize_tool");
    // SAFETY: takes nothing.
    unsafe { finalize.unwrap()() };
}

#[test]
fn a_tool_that_declines_hears_nothing_and_is_not_finalized() {
    let _alone = alone();
    Tool::declines();
    assert!(!v5::is_attached());
    assert_eq!(dispatch::watcher(Face::V5).wanted(), EventSet::NONE);
    initial(|me| region(me, |_| ()));
    v5::finalize();
    assert_eq!(Tool::saw(), ["initialize 77"]);
}

#[test]
fn there_is_one_tool_in_a_process() {
    let _alone = alone();
    Tool::starts_for_all();
    assert!(!Tool::starts(&[]), "a second one");
    v5::finalize();
    assert!(!Tool::starts(&[]), "one after the first has gone");
    assert_eq!(Tool::saw(), ["initialize 77", "finalize 77"]);
}

#[test]
fn a_tool_is_finalized_once_and_hears_nothing_after_that() {
    let _alone = alone();
    Tool::starts_for_all();
    initial(|me| {
        region(me, |_| {
            Tool::saw();
            v5::finalize();
        });
        v5::finalize();
        finalize_tool();
    });
    assert_eq!(Tool::saw(), ["finalize 77"]);
    assert_eq!(set(ompt_callback_work, callback(ompt_callback_work)), ompt_set_error);
    assert_eq!(dispatch::watcher(Face::V5).wanted(), EventSet::NONE);
}

#[test]
fn a_tool_that_goes_by_itself_is_told_the_ends_that_can_be_told_then_finalized() {
    let _alone = alone();
    Tool::starts_for_all();
    initial(|_| finalize_tool());
    assert_eq!(
        Tool::saw(),
        [
            "initialize 77",
            "thread_begin 1 #1",
            "implicit_task begin #2 #3 1 1 0x1",
            "implicit_task end - #3 0 1 0x1",
            "thread_end #1",
            "finalize 77",
        ]
    );
}

#[test]
fn in_a_region_a_tool_that_goes_is_told_no_ends() {
    let _alone = alone();
    Tool::starts_for_all();
    initial(|me| {
        region(me, |_| {
            Tool::saw();
            finalize_tool();
        });
    });
    assert_eq!(Tool::saw(), ["finalize 77"]);
}
