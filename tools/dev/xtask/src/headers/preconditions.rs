//! Preconditions of functions in the words of C: the text under the heading `# Safety` in Rust's documentation.

/// Comment line of a header that contains the heading of Rust's documentation.
const HEADING: &str = " * # Safety";
/// First words of the sentence that replaces it.
const IN_C: &str = "The behaviour is undefined unless";
/// Maximum length of a line in a header.
const LINE: usize = 120;

/// Returns a header in which each paragraph below `# Safety` is a sentence in the words of C's documentation.
pub(super) fn in_c(header: &str) -> String {
    let (mut out, mut lines) = (String::with_capacity(header.len()), header.lines());
    while let Some(line) = lines.next() {
        if line != HEADING {
            out += line;
            out.push('\n');
            continue;
        }
        let paragraph: Vec<_> = lines.by_ref().map_while(|line| line.strip_prefix(" * ")).collect();
        push_wrapped(&mut out, &format!("{IN_C} {}", uncapitalised(&paragraph.join(" "))));
        // The line after the paragraph, which has already been read.
        out += " */\n";
    }
    out
}

fn uncapitalised(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map(|first| first.to_lowercase().to_string() + chars.as_str()).unwrap_or_default()
}

/// Appends a paragraph of a comment.
fn push_wrapped(out: &mut String, paragraph: &str) {
    let mut column = 0;
    for word in paragraph.split(' ') {
        if column > 0 && column + 1 + word.len() > LINE {
            out.push('\n');
            column = 0;
        }
        let before = if column == 0 { " * " } else { " " };
        out.push_str(before);
        out.push_str(word);
        column += before.len() + word.len();
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rust_calls_safety_is_a_sentence_of_c() {
        let rust = " * - `a`: a.\n *\n * # Safety\n * Both are\n * writable.\n */\nint f(int *a);\n";
        let c = " * - `a`: a.\n *\n * The behaviour is undefined unless both are writable.\n */\nint f(int *a);\n";
        assert_eq!(in_c(rust), c);
        assert_eq!(in_c(c), c);
        let long = format!(" * # Safety\n * {}end.\n */\n", "`a` is readable, ".repeat(20));
        assert!(in_c(&long).lines().all(|line| line.starts_with(" *") && line.len() <= LINE), "{}", in_c(&long));
    }
}
