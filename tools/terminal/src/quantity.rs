//! Formatting of times and shares for people.

/// A unit that suits the longest of several times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Name of the unit: `s`, `ms` or `us`.
    pub name: &'static str,
    ns: f64,
}

impl Unit {
    /// The unit for times up to this one, in nanoseconds.
    pub fn for_up_to(longest_ns: f64) -> Self {
        match longest_ns {
            ns if ns >= 100e9 => Self { name: "s", ns: 1e9 },
            ns if ns >= 100e3 => Self { name: "ms", ns: 1e6 },
            _ => Self { name: "us", ns: 1e3 },
        }
    }

    /// Formats a time in this unit, without the unit's name.
    pub fn show(self, ns: f64) -> String {
        format!("{:.3}", ns / self.ns)
    }
}

/// Formats a time with the unit that suits it.
pub fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e9 => format!("{:.3} s", ns / 1e9),
        ns if ns >= 1e6 => format!("{:.3} ms", ns / 1e6),
        ns if ns >= 1e3 => format!("{:.3} us", ns / 1e3),
        // A sum of no times is -0.
        _ => format!("{:.0} ns", ns + 0.0),
    }
}

/// Formats a part of a whole in percent.
pub fn percent(part: f64, whole: f64) -> String {
    let share = if whole > 0.0 { part / whole * 100.0 + 0.0 } else { 0.0 };
    format!("{share:.2}")
}

/// Formats a number of bytes.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// Formats a number together with its noun.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_that_suits_them() {
        assert_eq!(
            (time(999.0), time(-0.0), percent(-0.0, 1.0)),
            ("999 ns".to_owned(), "0 ns".to_owned(), "0.00".to_owned())
        );
        assert_eq!(time(1_000.0), "1.000 us");
        assert_eq!(time(12_345_678.0), "12.346 ms");
        assert_eq!(time(61e9), "61.000 s");
        assert_eq!(Unit::for_up_to(200e9).show(1.5e9), "1.500");
        assert_eq!(Unit::for_up_to(2e9).show(1.5e9), "1500.000");
        assert_eq!(Unit::for_up_to(2e3).name, "us");
    }

    #[test]
    fn a_share_of_nothing_is_nothing() {
        assert_eq!(percent(1.0, 0.0), "0.00");
        assert_eq!(percent(1.0, 3.0), "33.33");
    }
}
