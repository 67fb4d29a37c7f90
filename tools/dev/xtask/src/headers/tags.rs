//! Removal of tags: types are referred to by name alone, as in the standard's text. cbindgen writes their tags everywhere.

/// Returns `text`, a header from cbindgen, with tags only where types are defined.
pub(super) fn dropped(text: &str) -> String {
    const TAGS: [&str; 3] = ["enum ompt_", "struct ompt_", "union ompt_"];
    let untagged = |line: &str| TAGS.iter().fold(line.to_owned(), |line, tag| line.replace(tag, "ompt_"));
    text.lines().map(|line| if line.ends_with('{') { line.to_owned() } else { untagged(line) } + "\n").collect()
}
