//! Preconditions of functions in the words of C: the text under the heading `# Safety` in Rust's documentation.

use textwrap::{Options, WordSplitter};

/// Comment line of a header that contains the heading of Rust's documentation.
const HEADING: &str = " * # Safety";
/// First words of the sentence that replaces it.
const IN_C: &str = "The behaviour is undefined unless";
/// Start of a line of a comment.
const START: &str = " * ";

/// Returns a header in which each paragraph below `# Safety` is a sentence in the words of C's documentation.
pub(super) fn in_c(header: &str) -> String {
    let options = Options::new(super::LINE).initial_indent(START).subsequent_indent(START);
    let options = options.word_splitter(WordSplitter::NoHyphenation);
    let (mut out, mut lines) = (String::with_capacity(header.len()), header.lines());
    while let Some(line) = lines.next() {
        if line == HEADING {
            let paragraph: Vec<_> = lines.by_ref().map_while(|line| line.strip_prefix(START)).collect();
            let sentence = format!("{IN_C} {}", uncapitalised(&paragraph.join(" ")));
            out += &textwrap::fill(&sentence, &options);
            // The line after the paragraph, which has already been read.
            out += "\n */\n";
        } else {
            out += line;
            out.push('\n');
        }
    }
    out
}

fn uncapitalised(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map(|first| first.to_lowercase().to_string() + chars.as_str()).unwrap_or_default()
}
