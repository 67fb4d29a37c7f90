//! The first words of doc comments, and words in comments that only this project would understand.

/// Words that open a question in place of a statement.
const QUESTIONS: [&str; 9] = ["what", "where", "whether", "who", "whose", "how", "which", "when", "why"];

/// Private words, each with the field's own. A word matches as a whole, whatever its case.
const PRIVATE: [(&str, &str); 16] = [
    ("told", "reported, notified"),
    ("untold", "unreported"),
    ("hear", "be notified"),
    ("hears", "is notified"),
    ("heard", "reported"),
    ("learns of", "is notified of"),
    ("whoever", "the caller, any thread"),
    ("as ever", "as before"),
    ("by now", "already"),
    ("wishes", "subscriptions"),
    ("rival", "foreign runtime"),
    ("quiet task", "fast path"),
    ("secret task", "unreported task"),
    ("bank", "runtime instance"),
    ("banks", "runtime instances"),
    ("face", "tool interface"),
];

/// The doc comments of files, counted, and the places that break a rule as `file:line: text`.
#[derive(Default)]
pub(super) struct Comments {
    /// Doc comments and module headers.
    pub(super) total: usize,
    /// Those that open with a question word.
    pub(super) questions: Vec<String>,
    /// Comment lines with a private word.
    pub(super) private: Vec<String>,
}

impl Comments {
    /// Adds the comments of a Rust file.
    pub(super) fn add(&mut self, name: &str, text: &str) {
        let mut previous = None;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let marker = ["///", "//!"].into_iter().find(|marker| line.starts_with(marker));
            if let Some(marker) = marker
                && previous != Some(marker)
            {
                self.total += 1;
                if opens_a_question(&line[marker.len()..]) {
                    self.questions.push(format!("{name}:{}: {line}", index + 1));
                }
            }
            previous = marker;
            if line.starts_with("//")
                && let Some((word, instead)) = private(line)
            {
                self.private.push(format!("{name}:{}: \"{word}\"; write: {instead}", index + 1));
            }
        }
    }
}

fn opens_a_question(comment: &str) -> bool {
    let first = comment.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    QUESTIONS.iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// The first private word of a line and the words to write for it. Code in backticks is left out: names may be another project's.
fn private(line: &str) -> Option<(&'static str, &'static str)> {
    let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    PRIVATE.into_iter().find(|(word, _)| has(&plain, word))
}

/// True if `text` has `word` with no letter beside it.
fn has(text: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(at, _)| !letter(text[..at].chars().next_back()) && !letter(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(text: &str) -> Comments {
        let mut all = Comments::default();
        all.add("a.rs", text);
        all
    }

    #[test]
    fn the_first_word_of_a_comment_counts_once() {
        let all = comments(
            "//! What it is.\n//! How it is.\n/// Returns it.\n/// When it can.\nfn f() {}\n    /// Whether.\nx\n/// Whatever.\n",
        );
        assert_eq!(all.total, 4);
        assert_eq!(all.questions, ["a.rs:1: //! What it is.", "a.rs:6: /// Whether."]);
    }

    #[test]
    fn private_words_are_found_whole_and_outside_of_code() {
        let all = comments("// It is told.\n// `told`\nlet told = 1;\n// Toldt, foretold\n/// The Face.\n");
        let places: Vec<_> = all.private.iter().filter_map(|line| line.split(';').next()).collect();
        assert_eq!(places, ["a.rs:1: \"told\"", "a.rs:5: \"face\""]);
    }
}
