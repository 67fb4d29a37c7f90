//! Tests that a walk knows all events of the report.

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
