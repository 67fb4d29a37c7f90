//! Times with a unit, as in `--ring`.

use std::time::Duration;

/// Parses a time with its unit: 10s, 500ms, 20us.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "a time such as 10s, 500ms or 20us".to_owned();
    let units = [("ms", 1e-3), ("us", 1e-6), ("s", 1.0)];
    let (number, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit))).ok_or_else(wrong)?;
    let seconds = number.trim().parse::<f64>().map_err(|_| wrong())? * unit;
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    // A day exceeds the space of any ring, and fits the recorder's numbers.
    if time.is_zero() || time > Duration::from_secs(86_400) { Err(wrong()) } else { Ok(time) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, ns) in [("10s", 10_000_000_000), ("1.5s", 1_500_000_000), ("50ms", 50_000_000), ("7us", 7000)] {
            assert_eq!(duration(text).unwrap().as_nanos(), ns, "{text}");
        }
        for text in ["", "10", "s", "0s", "-1s", "1h", "100000s", "NaNs"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
