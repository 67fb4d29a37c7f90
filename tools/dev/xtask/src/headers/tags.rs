//! Removal of tags: types are referred to by name alone, as in the standard's text. cbindgen writes their tags everywhere.

/// Returns `text`, a header from cbindgen, with tags only where types are defined.
pub(super) fn dropped(text: &str) -> String {
    const TAGS: [&str; 3] = ["enum ompt_", "struct ompt_", "union ompt_"];
    let untagged = |line: &str| TAGS.iter().fold(line.to_owned(), |line, tag| line.replace(tag, "ompt_"));
    text.lines().map(|line| if line.ends_with('{') { line.to_owned() } else { untagged(line) } + "\n").collect()
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
