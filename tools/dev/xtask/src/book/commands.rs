//! Commands in the documents' samples: each command and option of `ora` and `cargo xtask` must appear in the program's help.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::env;
use std::process::Command;

use anyhow::{Context, Result};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::{sources, workspace};

/// Programs whose commands are checked, as written in samples.
const PROGRAMS: [(&[&str], Program); 3] =
    [(&["ora"], Program::Ora), (&["target/release/ora"], Program::Ora), (&["cargo", "xtask"], Program::Xtask)];

/// Document that may name commands and options that no longer exist.
const HISTORY: &str = "CHANGELOG.md";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Program {
    Ora,
    Xtask,
}

/// Returns a line for each command or option that its program doesn't have.
pub(super) fn unknown() -> Result<Vec<String>> {
    let mut help = Helps::new();
    let mut lines = Vec::new();
    let mut commands = 0;
    for (path, text) in sources::read_all(&workspace::root(), "md")? {
        if path.ends_with(HISTORY) {
            continue;
        }
        for line in samples(&text) {
            let Some(call) = Call::of(&line) else { continue };
            commands += 1;
            if let Some(word) = call.unknown(&mut help)? {
                lines.push(format!("{}: `{line}`: no `{word}`", workspace::shown(&path)));
            }
        }
    }
    println!("documents: {commands} commands in samples");
    Ok(lines)
}

/// Lines of a document's code blocks, and the code within its sentences. Output, which a block marks as `text`, is omitted.
fn samples(document: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut block = false;
    for event in Parser::new_ext(document, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                block = !matches!(&kind, CodeBlockKind::Fenced(language) if &**language == "text");
            }
            Event::End(TagEnd::CodeBlock) => block = false,
            Event::Text(text) if block => lines.extend(text.lines().map(|line| line.trim().to_owned())),
            Event::Code(code) => lines.push(code.into_string()),
            _ => {}
        }
    }
    lines
}

/// Command line of one of the programs.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    program: Program,
    subcommand: String,
    options: Vec<String>,
}

impl Call {
    /// Parses the call on a line; `None` for other programs, or if there is no subcommand.
    fn of(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
        // Skips a prompt, and variables that are set for this command.
        let begin = words.iter().position(|word| *word != "$" && !word.contains('='))?;
        let words = words.get(begin..)?;
        let (name, program) = PROGRAMS.into_iter().find(|(name, _)| words.starts_with(name))?;
        let rest = words.get(name.len()..)?;
        let subcommand = rest.first().filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))?;
        if subcommand.starts_with('-') {
            return None;
        }
        let own = rest.iter().skip(1).take_while(|word| !matches!(**word, "--" | "|" | ">" | "&&" | ";"));
        let option = |word: &&str| {
            let name = word.trim_start_matches('[').split(['=', ']']).next().unwrap_or_default();
            (name.starts_with("--") || (name.len() == 2 && name.starts_with('-'))).then(|| name.to_owned())
        };
        Some(Self { program, subcommand: (*subcommand).to_owned(), options: own.filter_map(option).collect() })
    }

    /// First word of the call that its program's help doesn't contain. `texts` has the helps that were requested before.
    fn unknown(&self, texts: &mut Helps) -> Result<Option<String>> {
        let key = (self.program, self.subcommand.clone());
        let text = match texts.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(ask(self.program, &self.subcommand)?),
        };
        let Some(text) = text else { return Ok(Some(self.subcommand.clone())) };
        Ok(self.options.iter().find(|option| !has(text, option)).cloned())
    }
}

/// True if a help text contains an option as a word.
fn has(help: &str, option: &str) -> bool {
    help.split(|c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '=' | '<' | '`')).any(|word| word == option)
}

/// Helps of subcommands; `None` for one that doesn't exist.
type Helps = HashMap<(Program, String), Option<String>>;

fn ask(program: Program, subcommand: &str) -> Result<Option<String>> {
    let path = match program {
        Program::Ora => workspace::target().join("release/ora"),
        Program::Xtask => env::current_exe().context("can't find this program's own file")?,
    };
    let mut command = Command::new(&path);
    command.args([subcommand, "--help"]).env("NO_COLOR", "1").current_dir(workspace::root());
    let output = command
        .output()
        .with_context(|| format!("can't run {}. Next: cargo build --release", workspace::shown(&path)))?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(line: &str) -> Option<(Program, String, String)> {
        Call::of(line).map(|call| (call.program, call.subcommand, call.options.join(" ")))
    }

    #[test]
    fn calls_are_taken_apart() {
        let it = |program, subcommand: &str, options: &str| Some((program, subcommand.to_owned(), options.to_owned()));
        assert_eq!(call("ora stat --json -o FILE -- ./p --other"), it(Program::Ora, "stat", "--json -o"));
        assert_eq!(call("$ A=1 target/release/ora report [--flame=F] dir"), it(Program::Ora, "report", "--flame"));
        assert_eq!(call("cargo xtask test --long   # all"), it(Program::Xtask, "test", "--long"));
        for other in ["ora", "ora --version", "ora-profile/x", "cargo build --release", "gcc -fopenmp", "ora ./program"]
        {
            assert_eq!(call(other), None, "{other}");
        }
    }

    #[test]
    fn samples_are_blocks_and_code_but_no_output() {
        let document = "`ora a`\n\n    ora b\n\n```text\nora c\n```\n```sh\nora d\n```\n";
        assert_eq!(samples(document), ["ora a", "ora b", "ora d"]);
    }

    #[test]
    fn options_are_words_of_the_help() {
        let help = "  -o, --output <FILE>  Writes\n      --tree[=<FORM>]";
        assert!(has(help, "-o") && has(help, "--output") && has(help, "--tree"));
        assert!(!has(help, "--out") && !has(help, "-r"));
    }
}
