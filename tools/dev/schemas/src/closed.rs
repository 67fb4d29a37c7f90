//! Schemas that permit only the keys that they describe.

use serde_json::{Map, Value};

/// Keywords whose subschemas apply to the same object.
const IN_PLACE: [&str; 4] = ["oneOf", "anyOf", "allOf", "$ref"];

/// Forbids keys without a description everywhere in a schema.
pub(crate) fn close(schema: &mut Value) {
    let mut open = Vec::new();
    extended(schema, &mut open);
    close_all(schema, &open, true);
}

/// Collects the references to definitions to which keys are added: these definitions can't be closed themselves.
fn extended(schema: &Value, open: &mut Vec<String>) {
    if let Some(object) = schema.as_object() {
        let reference = object.get("$ref").and_then(Value::as_str).filter(|_| object.contains_key("properties"));
        open.extend(reference.and_then(|path| path.strip_prefix("#/$defs/")).map(str::to_owned));
    }
    children(schema).for_each(|child| extended(child, open));
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(list) => Box::new(list.iter()),
        Value::Object(object) => Box::new(object.values()),
        _ => Box::new([].iter()),
    }
}

fn close_all(schema: &mut Value, open: &[String], closes: bool) {
    let Some(object) = schema.as_object_mut() else { return };
    let has_keys = object.contains_key("properties");
    let is_extended = IN_PLACE.iter().any(|key| object.contains_key(*key));
    if has_keys && closes {
        let keyword = if is_extended { "unevaluatedProperties" } else { "additionalProperties" };
        object.insert(keyword.to_owned(), false.into());
    }
    for key in ["items", "additionalProperties"] {
        object.get_mut(key).into_iter().for_each(|value| close_all(value, open, true));
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        let list = object.get_mut(key).and_then(Value::as_array_mut);
        list.into_iter().flatten().for_each(|value| close_all(value, open, closes && !has_keys));
    }
    values(object, "properties").for_each(|(_, value)| close_all(value, open, true));
    values(object, "$defs").for_each(|(name, value)| close_all(value, open, !open.contains(name)));
}

fn values<'o>(object: &'o mut Map<String, Value>, key: &str) -> impl Iterator<Item = (&'o String, &'o mut Value)> {
    object.get_mut(key).and_then(Value::as_object_mut).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_that_come_from_two_places_are_permitted_and_no_others() {
        let mut schema = json!({
            "properties": {"a": {"properties": {}}},
            "oneOf": [{"properties": {"b": {}}}],
            "$defs": {"plain": {"properties": {}}, "extended": {"properties": {}},
                "variants": {"oneOf": [{"$ref": "#/$defs/extended", "properties": {"kind": {}}}]}},
        });
        close(&mut schema);
        let no = json!(false);
        assert_eq!(schema["unevaluatedProperties"], no);
        assert_eq!(schema["properties"]["a"]["additionalProperties"], no);
        assert_eq!(schema["oneOf"][0], json!({"properties": {"b": {}}}));
        assert_eq!(schema["$defs"]["plain"]["additionalProperties"], no);
        assert_eq!(schema["$defs"]["extended"], json!({"properties": {}}));
        assert_eq!(schema["$defs"]["variants"]["oneOf"][0]["unevaluatedProperties"], no);
    }
}
