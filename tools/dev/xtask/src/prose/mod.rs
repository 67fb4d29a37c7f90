//! The measures of the project's language: how doc comments open, private vocabulary, and the length of sentences in documents.

mod comments;
mod sentences;

use anyhow::{Result, bail};

use crate::{sources, workspace};
use comments::Comments;
use sentences::Sentences;

/// The largest share of doc comments that may open with a question word, in percent.
const QUESTIONS: f64 = 2.0;
/// The longest mean sentence of a document, in words.
const MEAN: f64 = 18.0;
/// The largest share of a document's sentences that may be longer than [`sentences::LONG`] words, in percent.
const LONG: f64 = 8.0;
/// The number of lines that the README may have.
const README: usize = 170;
/// Folders whose Markdown files are not documents for readers: inputs and notes of the tests.
const EXCLUDED: [&str; 1] = ["compat-tests/"];

/// Measures all sources and documents and fails where one is out of its bounds; with `verbose` each place is printed.
pub(crate) fn check(verbose: bool) -> Result<()> {
    let mut broken = comments(verbose)?;
    broken.extend(documents(verbose)?);
    for line in &broken {
        println!("breaks a rule: {line}");
    }
    if !broken.is_empty() {
        bail!("{} rules of the language are broken. Next: cargo xtask prose --verbose", broken.len());
    }
    Ok(())
}

/// Measures the comments of all Rust files; returns a line for each rule that is broken.
fn comments(verbose: bool) -> Result<Vec<String>> {
    let mut all = Comments::default();
    for (path, text) in sources::read_all(&workspace::root(), "rs")? {
        all.add(&workspace::shown(&path), &text);
    }
    let (total, questions) = (all.total, all.questions.len());
    let share = percent(questions, total);
    println!("comments: {total} doc comments and module headers, {questions} ({share:.1} %) open with a question word");
    if verbose {
        all.questions.iter().for_each(|line| println!("    {line}"));
    }
    let mut broken = all.names;
    for ((folder, number), places) in &all.found {
        let (Some(pattern), Some(lines)) = (comments::PATTERNS.get(*number), all.lines.get(folder)) else { continue };
        // A crate with few comments may have it once, unless it is never usual.
        let (found, most) = (places.len(), (pattern.most * *lines as f64 / 1000.0).ceil());
        if found as f64 > most {
            broken.push(format!(
                "{folder}: {found} lines with words of which {most} are usual; write: {}",
                pattern.instead
            ));
            places.iter().for_each(|place| println!("    {place}"));
        }
    }
    if share > QUESTIONS {
        broken.push(format!("{share:.1} % of the doc comments open with a question word; at most {QUESTIONS} % may"));
    }
    Ok(broken)
}

/// Measures the sentences of all documents; returns a line for each rule that is broken.
fn documents(verbose: bool) -> Result<Vec<String>> {
    let (mut broken, mut all) = (Vec::new(), Sentences::default());
    for (path, text) in sources::read_all(&workspace::root(), "md")? {
        let name = workspace::shown(&path);
        if EXCLUDED.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        if name == "README.md" && text.lines().count() > README {
            broken.push(format!("{name}: {} lines; at most {README}", text.lines().count()));
        }
        let sentences = Sentences::of(&text);
        let line = format!("{name}: {sentences}");
        if verbose {
            println!("    {line}");
        }
        // One long sentence among a few is a matter of taste.
        let is_long = sentences.long() > 1 && percent(sentences.long(), sentences.lengths.len()) > LONG;
        if sentences.mean() > MEAN || is_long {
            broken.push(format!("{line}; at most {MEAN} and {LONG} %"));
        }
        all.lengths.extend(sentences.lengths);
    }
    println!("documents: {all}");
    Ok(broken)
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}
