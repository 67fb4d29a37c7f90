//! Tables of keys in the pages of the reference.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::elsewhere;

const HEAD: &str = "| key | type | meaning |\n|---|---|---|\n";

/// Tables of a schema's objects: that of the document, and those that have headings.
pub(crate) struct Described {
    first: String,
    sections: Vec<(String, String)>,
}

/// Describes all objects of a schema.
pub(crate) fn of(schema: &Value) -> Described {
    let mut tables = Tables { definitions: &schema["$defs"], names: Vec::new() };
    let first = tables.object(schema);
    let mut sections: Vec<(String, String)> = Vec::new();
    let mut keys = BTreeMap::new();
    let mut next = 0;
    while let Some(name) = tables.names.get(next).copied() {
        next += 1;
        let definition = tables.definition(name);
        let heading = heading(definition, name);
        // A generic type with different parameters has one section.
        if let Some(other) = keys.insert(heading.clone(), in_order(definition)) {
            assert_eq!(other, in_order(definition), "two types have the doc comment of {name}");
            continue;
        }
        let text =
            described(definition, name).split_once("\n\n").map_or(String::new(), |(_, rest)| format!("{rest}\n\n"));
        sections.push((heading, text + &tables.object(definition)));
    }
    Described { first, sections }
}

/// Returns the page with these tables in place of those between the marks of `name`. Sections that the page already contains elsewhere are
/// omitted.
pub(crate) fn with_tables(page: &str, name: &str, described: &Described) -> String {
    let (begin, end) = (format!("<!-- keys of {name}: cargo xtask schemas -->\n"), "<!-- end of keys -->");
    let parts = page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let Some((before, after)) = parts else { panic!("a page lacks the line {begin}, or {end} after it") };
    let mut tables = described.first.clone();
    for (heading, text) in &described.sections {
        let title = format!("\n## {heading}\n");
        if !before.contains(&title) && !after.contains(&title) {
            tables += &(title + text);
        }
    }
    format!("{before}{begin}{tables}{end}{after}")
}

struct Tables<'s> {
    definitions: &'s Value,
    /// Definitions that have a heading, in the order in which they were encountered.
    names: Vec<&'s str>,
}

impl<'s> Tables<'s> {
    fn definition(&self, name: &str) -> &'s Value {
        self.definitions.get(name).unwrap_or_else(|| panic!("no definition of {name}"))
    }

    /// Table of an object, or the tables of all variants.
    fn object(&mut self, schema: &'s Value) -> String {
        let variants = schema.get("oneOf").and_then(Value::as_array);
        let Some(variants) = variants.filter(|_| schema.get("properties").is_none()) else {
            let more = variants.into_iter().flatten().map(|variant| self.rows(variant)).collect::<String>();
            return HEAD.to_owned() + &self.rows(schema) + &more;
        };
        let table = |variant| format!("{}\n\n{HEAD}{}", described(variant, "a variant"), self.rows(variant));
        variants.iter().map(table).collect::<Vec<_>>().join("\n")
    }

    fn rows(&mut self, schema: &'s Value) -> String {
        let mut rows = String::new();
        for key in in_order(schema) {
            let Some(property) = schema.get("properties").and_then(|all| all.get(key)) else { continue };
            let kind = self.kind(property);
            let meaning = match (property.get("description"), property.get("const")) {
                // The word of a variant needs no explanation.
                (None, Some(_)) => "",
                // The only key of a variant has the description of the variant.
                (None, None) => described(schema, key),
                _ => described(property, key),
            };
            let meaning = meaning.to_owned() + &self.words(property);
            let _ = writeln!(rows, "| `{key}` | {kind} | {} |", meaning.replace('\n', " ").replace('|', "\\|"));
        }
        local(schema).map(|name| self.rows(self.definition(name))).into_iter().for_each(|more| rows += &more);
        rows
    }

    /// Meanings of a key's words.
    fn words(&self, schema: &Value) -> String {
        let words = local(schema).map_or(schema, |name| self.definition(name)).get("oneOf").and_then(Value::as_array);
        let one = |word: &Value| {
            Some(format!(" `{}`: {}.", word.get("const")?, described(word, "a word").trim_end_matches('.')))
        };
        words.into_iter().flatten().filter_map(one).collect()
    }

    /// Type of a value, in words.
    fn kind(&mut self, schema: &'s Value) -> String {
        if let Some(value) = schema.get("const") {
            return format!("`{value}`");
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return words
                .iter()
                .map(|word| if word.is_null() { "null".to_owned() } else { format!("`{word}`") })
                .collect::<Vec<_>>()
                .join(", ");
        }
        if let Some(name) = local(schema) {
            let definition = self.definition(name);
            let is_object = |one: &Value| one.get("properties").is_some();
            let variants = definition.get("oneOf").and_then(Value::as_array);
            if !is_object(definition) && !variants.is_some_and(|all| all.iter().any(is_object)) {
                return self.kind(definition);
            }
            if !self.names.contains(&name) {
                self.names.push(name);
            }
            let heading = heading(definition, name).to_lowercase();
            return format!("[{heading}](#{})", heading.replace(' ', "-"));
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return elsewhere::page(reference).unwrap_or_else(|| panic!("{reference} is on no page")).to_owned();
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(all) = schema.get(key).and_then(Value::as_array) {
                let all: Vec<_> = all.iter().map(|one| self.kind(one)).collect();
                return all.join(if key == "anyOf" { " or " } else { ", " });
            }
        }
        let kinds: Vec<_> = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            kind => kind.and_then(Value::as_str).into_iter().collect(),
        };
        kinds.into_iter().map(|kind| self.named(kind, schema)).collect::<Vec<_>>().join(" or ")
    }

    fn named(&mut self, kind: &str, schema: &'s Value) -> String {
        match kind {
            "integer" | "number" => "number".to_owned(),
            "string" => "text".to_owned(),
            "boolean" => "true or false".to_owned(),
            "array" => match schema.get("prefixItems").and_then(Value::as_array) {
                Some(all) => all.iter().map(|one| self.kind(one)).collect::<Vec<_>>().join(" and "),
                None => format!("list of {}", schema.get("items").map_or("values".to_owned(), |one| self.kind(one))),
            },
            "object" => {
                let values = schema.get("additionalProperties");
                format!("{} by name", values.map_or("values".to_owned(), |values| self.kind(values)))
            }
            other => other.to_owned(),
        }
    }
}

/// Keys of an object in the order of its type: first those that are always present, then the others.
fn in_order(schema: &Value) -> Vec<&str> {
    let mut keys: Vec<_> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let others = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let others: Vec<_> = others.map(String::as_str).filter(|key| !keys.contains(key)).collect();
    keys.extend(others);
    keys
}

/// Name of the definition that a schema refers to.
fn local(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// First paragraph of a definition's doc comment.
fn heading(definition: &Value, name: &str) -> String {
    let first = described(definition, name).split("\n\n").next().unwrap_or_default();
    first.replace('\n', " ").trim_end_matches('.').to_owned()
}

fn described<'s>(schema: &'s Value, what: &str) -> &'s str {
    let text = schema.get("description").and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("{what} has no doc comment: {schema}"))
}
