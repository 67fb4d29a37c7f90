//! Numbers of TR2, by name: read from `tables/ompt-tr2-numbers.txt`, which was written from the report's text.

use std::collections::BTreeMap;
use std::sync::OnceLock;

const TABLE: &str = include_str!("../../tables/ompt-tr2-numbers.txt");

fn numbers() -> &'static BTreeMap<&'static str, i32> {
    static NUMBERS: OnceLock<BTreeMap<&'static str, i32>> = OnceLock::new();
    NUMBERS.get_or_init(|| {
        let rows = TABLE.lines().filter_map(|line| line.split_once(' ')).filter(|(name, _)| name.starts_with("ompt_"));
        rows.map(|(name, number)| (name, parse(number).unwrap_or_else(|| panic!("{name}: {number:?}")))).collect()
    })
}

fn parse(number: &str) -> Option<i32> {
    match number.strip_prefix("0x") {
        Some(digits) => i32::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    }
}

/// Number of `ompt_event_` with this name.
///
/// # Panics
/// If no event has this name.
pub fn event(name: &str) -> i32 {
    number(&format!("ompt_event_{name}"))
}

/// Number of `ompt_state_` with this name.
///
/// # Panics
/// If no state has this name.
pub fn state(name: &str) -> i32 {
    number(&format!("ompt_state_{name}"))
}

fn number(name: &str) -> i32 {
    *numbers().get(name).unwrap_or_else(|| panic!("the report has no {name}"))
}

/// Name of an event, without its prefix.
///
/// # Panics
/// If no event has this number.
pub fn event_name(event: i32) -> &'static str {
    // Cached, as it is called for each record of a trace.
    static NAMES: OnceLock<BTreeMap<i32, &'static str>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        numbers().iter().filter_map(|(name, n)| Some((*n, name.strip_prefix("ompt_event_")?))).collect()
    });
    names.get(&event).unwrap_or_else(|| panic!("the report has no event {event}"))
}

/// All states, by number, with their names.
pub fn states() -> BTreeMap<i32, &'static str> {
    let states = numbers().iter().filter(|(name, _)| name.starts_with("ompt_state_"));
    states.map(|(name, number)| (*number, *name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_found_both_ways() {
        assert_eq!((event("parallel_begin"), event("flush")), (1, 61));
        assert_eq!((1..=61).filter(|n| event(event_name(*n)) == *n).count(), 61);
        assert_eq!((state("wait_ordered"), states().len()), (0x64, 17));
    }
}
