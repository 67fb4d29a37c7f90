//! Commands in the documents' samples: each command and option of `ora` and `cargo xtask` must appear in the program's help.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::env;
use std::process::Command;

use anyhow::{Context, Result};

use super::document::Document;
use crate::workspace;

/// Programs whose commands are checked, as written in samples, with their files; `None` for this program.
const PROGRAMS: [(&[&str], Option<&str>); 3] =
    [(&["ora"], ORA), (&["target/release/ora"], ORA), (&["cargo", "xtask"], None)];
const ORA: Option<&str> = Some("release/ora");

/// Document that may name commands and options that no longer exist.
const HISTORY: &str = "CHANGELOG.md";

/// Returns a line for each command or option that its program doesn't have.
pub(super) fn unknown(documents: &[Document]) -> Result<Vec<String>> {
    let (mut helps, mut lines, mut commands) = (HashMap::new(), Vec::new(), 0);
    for document in documents.iter().filter(|document| !document.path.ends_with(HISTORY)) {
        for line in samples(document) {
            let Some(Call { program, subcommand, options }) = call(line) else { continue };
            commands += 1;
            let help = match helps.entry((program, subcommand)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(help(program, subcommand)?),
            };
            let unknown = match help {
                Some(help) => options.into_iter().find(|option| !has(help, option)),
                None => Some(subcommand),
            };
            lines.extend(unknown.map(|word| format!("{}: `{line}`: no `{word}`", document.shown())));
        }
    }
    println!("documents: {commands} commands in samples");
    Ok(lines)
}

/// Lines of a document's code blocks, and the code within its sentences. Output, which a block marks as `text`, is omitted.
fn samples(document: &Document) -> impl Iterator<Item = &str> {
    let blocks = document.blocks.iter().filter(|(language, _)| language != "text");
    blocks.flat_map(|(_, block)| block.lines().map(str::trim)).chain(document.code.iter().map(String::as_str))
}

/// Command line of one of the programs.
#[derive(Debug, PartialEq, Eq)]
struct Call<'a> {
    program: Option<&'static str>,
    subcommand: &'a str,
    options: Vec<&'a str>,
}

/// Parses the call on a line; `None` for other programs, or if there is no subcommand.
fn call(line: &str) -> Option<Call<'_>> {
    let words: Vec<&str> = line.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
    // Skips a prompt, and variables that are set for this command.
    let begin = words.iter().position(|word| *word != "$" && !word.contains('='))?;
    let words = words.get(begin..)?;
    let (name, program) = PROGRAMS.into_iter().find(|(name, _)| words.starts_with(name))?;
    let (subcommand, rest) = words.get(name.len()..)?.split_first()?;
    if subcommand.starts_with('-') || !subcommand.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
        return None;
    }
    let own = rest.iter().take_while(|word| !matches!(**word, "--" | "|" | ">" | "&&" | ";"));
    let names = own.filter_map(|word| word.trim_start_matches('[').split(['=', ']']).next());
    let is_option = |name: &&str| name.starts_with("--") || (name.len() == 2 && name.starts_with('-'));
    Some(Call { program, subcommand, options: names.filter(is_option).collect() })
}

/// True if a help text contains an option as a word.
fn has(help: &str, option: &str) -> bool {
    help.split(|c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '=' | '<' | '`')).any(|word| word == option)
}

/// Help of a subcommand; `None` if it doesn't exist.
fn help(program: Option<&str>, subcommand: &str) -> Result<Option<String>> {
    let path = program.map_or_else(env::current_exe, |file| Ok(workspace::target().join(file)))?;
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

    #[test]
    fn calls_are_taken_apart() {
        let it = |program, subcommand, options: &[&'static str]| {
            Some(Call { program, subcommand, options: options.to_vec() })
        };
        assert_eq!(call("ora stat --json -o FILE -- ./p --other"), it(ORA, "stat", &["--json", "-o"]));
        assert_eq!(call("$ A=1 target/release/ora report [--flame=F] dir"), it(ORA, "report", &["--flame"]));
        assert_eq!(call("cargo xtask test --long   # all"), it(None, "test", &["--long"]));
        for other in ["ora", "ora --version", "ora-profile/x", "cargo build --release", "gcc -fopenmp", "ora ./program"]
        {
            assert_eq!(call(other), None, "{other}");
        }
    }

    #[test]
    fn samples_are_blocks_and_code_but_no_output() {
        let document = Document::of("`ora a`\n\n    ora b\n\n```text\nora c\n```\n```sh\nora d\n```\n".to_owned());
        assert_eq!(samples(&document).collect::<Vec<_>>(), ["ora b", "ora d", "ora a"]);
    }

    #[test]
    fn options_are_words_of_the_help() {
        let help = "  -o, --output <FILE>  Writes\n      --tree[=<FORM>]";
        assert!(has(help, "-o") && has(help, "--output") && has(help, "--tree"));
        assert!(!has(help, "--out") && !has(help, "-r"));
    }
}
