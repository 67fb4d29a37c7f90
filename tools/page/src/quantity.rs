//! Quantities, which the page formats.

use serde::Serialize;

/// Quantity or text. The page shows three significant digits with a unit, and counts in full.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Quantity {
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Time(f64),
    /// A part of 1, shown in percent.
    #[serde(rename = "part")]
    Part(f64),
    /// An exact count.
    #[serde(rename = "count")]
    Count(u64),
    /// A number without a unit.
    #[serde(rename = "number")]
    Number(f64),
    /// A text.
    #[serde(untagged)]
    Text(String),
}

impl From<&str> for Quantity {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Quantity {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_is_an_object_that_says_its_kind() {
        let all =
            [Quantity::Time(1.5), Quantity::Part(0.5), Quantity::Count(3), Quantity::Number(2.5), "heat.c".into()];
        let json = serde_json::to_string(&all).unwrap();
        assert_eq!(json, r#"[{"ns":1.5},{"part":0.5},{"count":3},{"number":2.5},"heat.c"]"#);
    }
}
