//! The sentences of a Markdown document, by their numbers of words.

use std::fmt;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A sentence with more words than this is long.
pub(super) const LONG: usize = 30;
/// A line with fewer words than this is a label, not a sentence.
const SHORTEST: usize = 3;

/// The lengths of sentences, in words.
#[derive(Default)]
pub(super) struct Sentences {
    pub(super) lengths: Vec<usize>,
}

impl Sentences {
    /// Lengths of the sentences in paragraphs and list items, without headings, tables and code blocks. Code within a sentence counts as
    /// one word.
    pub(super) fn of(document: &str) -> Self {
        let mut sentences = Self::default();
        let (mut text, mut depth_apart) = (String::new(), 0_usize);
        for event in Parser::new_ext(document, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::Table(_)) => depth_apart += 1,
                Event::End(TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Table) => depth_apart -= 1,
                Event::Text(words) if depth_apart == 0 => text.push_str(&words),
                Event::Code(_) if depth_apart == 0 => text.push_str("Code"),
                Event::SoftBreak | Event::HardBreak => text.push(' '),
                Event::End(TagEnd::Paragraph | TagEnd::Item) | Event::Start(Tag::List(_)) => {
                    sentences.split(&text);
                    text.clear();
                }
                _ => {}
            }
        }
        sentences
    }

    /// Mean length, in words.
    pub(super) fn mean(&self) -> f64 {
        self.lengths.iter().sum::<usize>() as f64 / self.lengths.len().max(1) as f64
    }

    /// The number of those that are longer than [`LONG`].
    pub(super) fn long(&self) -> usize {
        self.lengths.iter().filter(|length| **length > LONG).count()
    }

    /// Adds the sentences of one paragraph: each ends with a stop before a word that a sentence can begin with.
    fn split(&mut self, paragraph: &str) {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        let mut length = 0;
        for (index, word) in words.iter().enumerate() {
            length += 1;
            let stops = word.trim_end_matches(['"', ')', '*']).ends_with(['.', '!', '?']);
            let next =
                words.get(index + 1).and_then(|word| word.trim_start_matches(['"', '(', '*', '[']).chars().next());
            if next.is_none_or(|first| stops && (first.is_uppercase() || first.is_numeric())) {
                if length >= SHORTEST {
                    self.lengths.push(length);
                }
                length = 0;
            }
        }
    }
}

impl fmt::Display for Sentences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, mean, long) = (self.lengths.len(), self.mean(), super::percent(self.long(), self.lengths.len()));
        write!(f, "{count} sentences, mean {mean:.1} words, {long:.1} % over {LONG}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_counted_in_paragraphs_and_items_alone() {
        let document = "# A title of four words\n\nIt is one. `code that counts` is two\nof e.g. many.\n\n    let code = 1;\n\n- An item of five words\n- Yes.\n\n| a b c d |\n|---|\n| e f g h |\n";
        assert_eq!(Sentences::of(document).lengths, [3, 6, 5]);
    }

    #[test]
    fn the_mean_and_the_long_ones() {
        let long = format!("{} end.", "word ".repeat(LONG));
        let sentences = Sentences::of(&format!("Three words here. {long}"));
        assert_eq!((sentences.long(), sentences.mean()), (1, 34.0), "a small letter begins no sentence");
        let sentences = Sentences::of(&format!("Three words here. A {long}"));
        assert_eq!(sentences.lengths, [3, 32]);
    }
}
