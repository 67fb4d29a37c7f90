//! Lists in text files: lines with their reasons, in parts.

/// The parts of a list by their names (`[name]`), with their lines; the comment above a line is its reason.
pub(crate) fn parts(list: &str) -> Vec<(&str, Vec<(&str, &str)>)> {
    let mut parts = Vec::<(&str, Vec<(&str, &str)>)>::new();
    let mut reason = "";
    for line in list.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            parts.push((name, Vec::new()));
        } else if let Some(text) = line.strip_prefix("# ") {
            reason = text;
        } else if let Some((_, lines)) = parts.last_mut() {
            lines.push((line, reason));
        }
    }
    parts
}
