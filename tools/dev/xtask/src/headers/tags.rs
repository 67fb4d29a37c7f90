//! Removal of tags: types are referred to by name alone, as in the standard's text. cbindgen writes their tags everywhere.

/// Returns `text`, a header from cbindgen, with tags only where types are defined.
pub(super) fn dropped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut line = line.to_owned();
        if !line.ends_with('{') {
            for tag in ["enum", "struct", "union"] {
                line = line.replace(&format!("{tag} ompt_"), "ompt_");
            }
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_stays_where_its_type_is_defined_only() {
        let definition = "typedef struct ompt_a_t {\n";
        let member = |tag: &str| format!("    {tag}ompt_b_t b;\n}} ompt_a_t;\n");
        let function = |tag: &str| format!("typedef {tag}ompt_b_t *(*ompt_f_t)(const {tag}ompt_a_t *a);\n");
        for tag in ["enum ", "struct ", "union "] {
            let text = definition.to_owned() + &member(tag) + &function(tag);
            assert_eq!(dropped(&text), definition.to_owned() + &member("") + &function(""));
        }
    }
}
