//! The first words of doc comments, and words in comments and names that only this project would understand or that are rare elsewhere.

use std::collections::BTreeMap;

/// Words that open a question in place of a statement.
const QUESTIONS: [&str; 9] = ["what", "where", "whether", "who", "whose", "how", "which", "when", "why"];

/// Words that no item's name has, each with what to write. Names of tests are sentences.
const NAMES: &str = "behind=after apart=separate told=reported whoever=any nobody=none dearest=costliest patience=max_wait \
                     toll=overhead roll=table ledger=tables books=sums scene=context";

/// Words that start the definition of an item, but for its visibility.
const ITEMS: [&str; 10] = ["fn", "struct", "enum", "trait", "const", "static", "mod", "type", "unsafe", "extern"];

/// Words that a comment may have now and then.
pub(super) struct Pattern {
    words: &'static [&'static str],
    /// Largest number of comment lines of a crate with them, in a thousand: what is usual in framehop, crossbeam, sudo-rs, samply and zlib-rs.
    pub(super) most: f64,
    pub(super) instead: &'static str,
}

const fn pattern(words: &'static [&'static str], most: f64, instead: &'static str) -> Pattern {
    Pattern { words, most, instead }
}

/// English that a native engineer would not write so often.
pub(super) const PATTERNS: [Pattern; 22] = [
    pattern(&["behind"], 0.7, "after, past, following"),
    pattern(&["its begin", "their begin", "at the begin", "begin of"], 0.0, "start, beginning"),
    pattern(&["is no", "are no", "was no"], 4.1, "is not a, does not have"),
    pattern(&["too.", "too,", "too;", "too:"], 0.2, "also, or nothing"),
    pattern(&["stands in", "stands beside", "stands at", "stand in", "stands there"], 0.4, "is, appears, is listed in"),
    pattern(&["at once"], 0.4, "immediately, undeferred, simultaneously"),
    pattern(&["for want of", "whatever", "that which"], 0.4, "a sentence that says what is missing, any, what"),
    pattern(&["goes up", "made and ended", "meets"], 0.2, "is incremented, created and destroyed, encounters"),
    // Words that only this project would understand.
    pattern(&["told"], 0.0, "reported, notified"),
    pattern(&["untold"], 0.0, "unreported"),
    pattern(&["hear"], 0.0, "be notified"),
    pattern(&["hears", "learns of"], 0.0, "is notified of"),
    pattern(&["heard"], 0.0, "reported"),
    pattern(&["whoever"], 0.0, "the caller, any thread"),
    pattern(&["as ever"], 0.0, "as before"),
    pattern(&["by now"], 0.0, "already"),
    pattern(&["wishes"], 0.0, "subscriptions"),
    pattern(&["rival"], 0.0, "foreign runtime"),
    pattern(&["quiet task"], 0.0, "fast path"),
    pattern(&["secret task"], 0.0, "unreported task"),
    pattern(&["bank", "banks"], 0.0, "runtime instance"),
    pattern(&["face"], 0.0, "tool interface"),
];

/// The doc comments of files, counted, and the places that break a rule as `file:line: text`.
#[derive(Default)]
pub(super) struct Comments {
    /// Doc comments and module headers.
    pub(super) total: usize,
    /// Comments that open with a question word.
    pub(super) questions: Vec<String>,
    /// Names of items with a word that none should have.
    pub(super) names: Vec<String>,
    /// Numbers of comment lines by crate.
    pub(super) lines: BTreeMap<String, usize>,
    /// Comment lines with a pattern, by crate and the pattern's index.
    pub(super) found: BTreeMap<(String, usize), Vec<String>>,
}

impl Comments {
    /// Adds the comments of a Rust file.
    pub(super) fn add(&mut self, file: &str, text: &str) {
        let (mut previous, mut is_test) = (None, false);
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if let Some(name) = defined(line).filter(|_| !is_test && !file.contains("/tests/"))
                && let Some((word, instead)) = names().find(|(word, _)| has_word(name, word))
            {
                self.names.push(format!("{file}:{}: \"{word}\" in `{name}`; write: {instead}", index + 1));
            }
            is_test = line == "#[test]" || is_test && line.starts_with("#[");
            let marker = ["///", "//!"].into_iter().find(|marker| line.starts_with(marker));
            if let Some(marker) = marker
                && previous != Some(marker)
            {
                self.total += 1;
                if opens_a_question(&line[marker.len()..]) {
                    self.questions.push(format!("{file}:{}: {line}", index + 1));
                }
            }
            previous = marker;
            if !line.starts_with("//") {
                continue;
            }
            let (place, plain) = (format!("{file}:{}", index + 1), plain(line));
            let folder = file.split_once("/src/").or(file.split_once("/tests/")).map_or(file, |(folder, _)| folder);
            *self.lines.entry(folder.to_owned()).or_default() += 1;
            for (number, pattern) in PATTERNS.iter().enumerate() {
                if pattern.words.iter().any(|words| has(&plain, words)) {
                    self.found.entry((folder.to_owned(), number)).or_default().push(format!("{place}: {line}"));
                }
            }
        }
    }
}

fn opens_a_question(comment: &str) -> bool {
    let first = comment.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    QUESTIONS.iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// The words of [`NAMES`].
fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES.split_whitespace().filter_map(|pair| pair.split_once('='))
}

/// The name of the item whose definition starts on a line.
fn defined(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
    let name =
        ITEMS.contains(&words.next()?).then(|| words.find(|word| !ITEMS.contains(word) && !word.starts_with('"')))?;
    name?.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// True if a name has this word, in any of Rust's styles.
fn has_word(name: &str, word: &str) -> bool {
    let starts_word = |c: char| c.is_uppercase() && name.contains(char::is_lowercase);
    let snake: String = name.chars().flat_map(|c| starts_word(c).then_some('_').into_iter().chain([c])).collect();
    snake.split('_').any(|part| part.eq_ignore_ascii_case(word))
}

/// The words of a line. Code in backticks is left out: names may be another project's.
fn plain(line: &str) -> String {
    let plain = line.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    // Common in English, or the field's terms.
    ["there is no", "there are no", "no longer", "begin event"]
        .iter()
        .fold(plain, |plain, usual| plain.replace(usual, ""))
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
    fn words_that_are_rare_elsewhere_are_counted_by_crate() {
        let mut all = comments("// It lies behind it.\n// `behind`, and there is no other.\n");
        all.add("tools/a/src/b.rs", "// It is no list.\n");
        let found: Vec<_> = all.found.keys().map(|(folder, number)| (folder.as_str(), *number)).collect();
        assert_eq!(found, [("a.rs", 0), ("tools/a", 2)]);
        assert_eq!(all.lines.values().sum::<usize>(), 3);
    }

    #[test]
    fn words_are_found_in_names_of_items_but_for_tests() {
        let all =
            comments("pub(crate) const fn told() {\n#[test]\nfn toll() {}\nstruct LeftBehind;\nlet behind = 1;\n");
        let names: Vec<_> = all.names.iter().filter_map(|line| line.split('`').nth(1)).collect();
        assert_eq!(names, ["told", "LeftBehind"]);
        assert!(has_word("MAX_TOLL", "toll") && !has_word("Toller", "toll"));
    }

    #[test]
    fn words_are_found_whole_and_outside_of_code() {
        assert!(has(&plain("// It is told."), "told") && has(&plain("/// The Face."), "face"));
        assert!(["// `told`", "// Toldt, foretold"].iter().all(|line| !has(&plain(line), "told")));
    }
}
