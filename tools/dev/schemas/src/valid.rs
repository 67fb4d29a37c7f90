//! Validation of documents against their schemas, limited to the keywords that the schemas use.
//!
//! Crates that support all of JSON Schema turn on features of crates that the command uses, so that everything would be compiled twice.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::reference;

/// Asserts that a document has the keys of its schema in `docs/reference/schemas`, with values of their types, and no other keys.
pub fn assert_valid(document: &Value) {
    let name = document["schema"].as_str().and_then(|name| name.strip_prefix("ora-"));
    let file = format!("{}.json", name.unwrap_or_else(|| panic!("{document} names no schema")));
    let checked = Root::of_file(&file).and_then(|root| root.check(&root.0, document, &mut BTreeSet::new()));
    checked.unwrap_or_else(|error| panic!("{error} (by {file})"));
}

/// Whole schema, to which references are relative.
struct Root(Value);

impl Root {
    fn of_file(name: &str) -> Result<Self, String> {
        let text =
            fs::read_to_string(reference().join("schemas").join(name)).map_err(|error| format!("{name}: {error}"))?;
        serde_json::from_str(&text).map(Self).map_err(|error| format!("{name}: {error}"))
    }

    /// Checks a value, and adds the keys that the schema describes to `known`.
    fn check(&self, schema: &Value, value: &Value, known: &mut BTreeSet<String>) -> Result<(), String> {
        for (keyword, rule) in schema.as_object().into_iter().flatten() {
            match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "format" => {}
                "$ref" => self.check_reference(rule.as_str().unwrap_or_default(), value, known)?,
                "const" => ensure(rule == value, format_args!("{value} in place of {rule}"))?,
                "enum" => ensure(listed(rule).contains(value), format_args!("{value} is none of {rule}"))?,
                "type" => ensure(has_type(rule, value), format_args!("{value} is no {rule}"))?,
                "minimum" | "maximum" => {
                    let (above, below) = (value.as_f64() >= rule.as_f64(), value.as_f64() <= rule.as_f64());
                    let fits = if keyword == "minimum" { above } else { below };
                    ensure(fits || !value.is_number(), format_args!("{value}, {keyword} {rule}"))?;
                }
                "minItems" | "maxItems" => {
                    let (count, bound) = (listed(value).len() as u64, rule.as_u64().unwrap_or_default());
                    let fits = if keyword == "minItems" { count >= bound } else { count <= bound };
                    ensure(fits || !value.is_array(), format_args!("{count} values, {keyword} {bound}"))?;
                }
                "items" => {
                    listed(value).iter().try_for_each(|one| self.check(rule, one, &mut BTreeSet::new()))?;
                }
                "prefixItems" => {
                    let mut pairs = listed(rule).iter().zip(listed(value));
                    pairs.try_for_each(|(rule, one)| self.check(rule, one, &mut BTreeSet::new()))?;
                }
                "required" => {
                    let missing = listed(rule).iter().find(|key| value.get(key.as_str().unwrap_or_default()).is_none());
                    ensure(missing.is_none(), format_args!("{missing:?} is missing in {value}"))?;
                }
                "properties" => {
                    for (key, rule) in rule.as_object().into_iter().flatten() {
                        if let Some(value) = value.get(key) {
                            known.insert(key.clone());
                            let checked = self.check(rule, value, &mut BTreeSet::new());
                            checked.map_err(|error| format!("{key}: {error}"))?;
                        }
                    }
                }
                "oneOf" | "anyOf" => {
                    let checked = listed(rule).iter().map(|one| {
                        let mut keys = BTreeSet::new();
                        self.check(one, value, &mut keys).map(|()| keys)
                    });
                    let (fits, faults): (Vec<_>, Vec<_>) = checked.partition(Result::is_ok);
                    let is_right = fits.len() == 1 || (keyword == "anyOf" && !fits.is_empty());
                    ensure(is_right, format_args!("{} of the variants fit; {faults:?}", fits.len()))?;
                    known.extend(fits.into_iter().flatten().flatten());
                }
                // Handled after all the others.
                "additionalProperties" | "unevaluatedProperties" => {}
                other => return Err(format!("the check lacks the keyword {other}")),
            }
        }
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            let Some(rule) = schema.get(keyword) else { continue };
            for (key, value) in value.as_object().into_iter().flatten().filter(|(key, _)| !known.contains(*key)) {
                ensure(rule != false, format_args!("the schema lacks the key {key}"))?;
                self.check(rule, value, &mut BTreeSet::new()).map_err(|error| format!("{key}: {error}"))?;
            }
        }
        Ok(())
    }

    fn check_reference(&self, reference: &str, value: &Value, known: &mut BTreeSet<String>) -> Result<(), String> {
        let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let other = if file.is_empty() { None } else { Some(Self::of_file(file)?) };
        let root = other.as_ref().unwrap_or(self);
        let schema = root.0.pointer(pointer).ok_or_else(|| format!("{reference} leads nowhere"))?;
        root.check(schema, value, known)
    }
}

fn ensure(holds: bool, otherwise: std::fmt::Arguments<'_>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_string()) }
}

fn listed(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    };
    is(rule) || listed(rule).iter().any(is)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn another_key_another_type_and_a_missing_key_are_faults() {
        let root = Root(json!({
            "properties": {"a": {"type": ["integer", "null"], "minimum": 0}, "list": {"type": "array", "items": {"$ref": "#/$defs/x"}}},
            "required": ["a"],
            "oneOf": [{"properties": {"b": {"const": 1}}, "required": ["b"]}, {"properties": {"c": {}}, "required": ["c"]}],
            "unevaluatedProperties": false,
            "$defs": {"x": {"type": "object", "additionalProperties": {"type": "string"}}},
        }));
        let fault = |value: Value| root.check(&root.0, &value, &mut BTreeSet::new()).err().unwrap_or_default();
        assert_eq!(fault(json!({"a": null, "b": 1, "list": [{"y": "z"}]})), "");
        assert_eq!(fault(json!({"a": 1, "b": 1, "d": 2})), "the schema lacks the key d");
        assert_eq!(fault(json!({"a": "1", "c": 1})), "a: \"1\" is no [\"integer\",\"null\"]");
        assert_eq!(fault(json!({"a": 1, "c": 1, "list": [{"y": 1}]})), "list: y: 1 is no \"string\"");
        assert_eq!(fault(json!({"a": -1, "c": 1})), "a: -1, minimum 0");
        assert!(fault(json!({"c": 1})).contains("is missing"));
        assert!(fault(json!({"a": 1})).starts_with("0 of the variants fit"));
        assert!(fault(json!({"a": 1, "b": 1, "c": 1})).starts_with("2 of the variants fit"));
    }
}
