//! Tests that a walk handles all events of the report.

use super::*;
use crate::tr2::numbers::event;

#[test]
fn every_span_and_mutex_is_the_reports() {
    for span in SPANS {
        assert_eq!(event(&format!("{span}_end")), event(&format!("{span}_begin")) + 1);
    }
    for (kind, acquired, released) in MUTEXES {
        assert!(event(&format!("wait_{kind}")) > event(released) && event(acquired) > 50);
    }
}

fn worker(name: &str) -> Tr2Record {
    let arguments = if name.starts_with("thread_") { [2, 7, 0, 0, 0] } else { [7, 0, 0, 0, 0] };
    Tr2Record { event: event(name), arguments, thread: 7, state: state("idle"), size: -1, ..Tr2Record::default() }
}

#[test]
fn a_thread_in_the_pool_gets_no_callback_but_the_end_of_that() {
    let known = Known::default();
    for (last, is_kept) in
        [("idle_end", true), ("runtime_shutdown", true), ("thread_end", false), ("idle_begin", false)]
    {
        let mut walk = Walk::new(&known, &[]);
        walk.step(&worker("thread_begin"), true).unwrap();
        walk.step(&worker("idle_begin"), false).unwrap();
        let end = walk.step(&worker(last), false);
        assert_eq!(end.is_ok(), is_kept, "{last}: {end:?}");
    }
}
