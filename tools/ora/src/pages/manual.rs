//! One man page of section 1, generated from a command's definition and its help text.

use std::io::{self, Write};

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use super::reference::{self, Entry};

/// Writes the page of a command.
pub(super) fn page(command: &Command, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        // `roff` writes no empty arguments: without the quotes the next argument would be the date.
        .date("\"\"")
        .source(format!("ora {}", env!("CARGO_PKG_VERSION")))
        .manual("ora manual");
    man.render_title(out)?;
    // Words are names and options, and should be neither hyphenated nor spread.
    out.write_all(b".nh\n.ad l\n")?;
    man.render_name_section(out)?;
    synopsis(command, name).to_writer(out)?;
    let notes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let notes = Notes::of(&notes);
    description(command, &notes).to_writer(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    let reference = reference::of(name);
    let mut end = Roff::new();
    entries(&mut end, "EXIT STATUS", reference.exit_status);
    entries(&mut end, "ENVIRONMENT", reference.environment.iter().flat_map(|group| group.iter()));
    entries(&mut end, "FILES", reference.files.iter().flat_map(|group| group.iter()));
    end.control("SH", ["EXAMPLES"]);
    for (line, meaning) in notes.examples.iter().copied().chain(reference.examples.iter().copied()) {
        example(&mut end, line, meaning);
    }
    see_also(&mut end, command, name, reference.see_also);
    end.to_writer(out)
}

/// Command line: options with their values, followed by the command's arguments.
fn synopsis(command: &Command, name: &str) -> Roff {
    let mut line = vec![bold(name.replacen('-', " ", 1))];
    let shown = || command.get_arguments().filter(|argument| !argument.is_hide_set());
    let options = shown().filter(|argument| !argument.is_positional());
    for argument in options.chain(shown().filter(|argument| argument.is_positional())) {
        let values = argument.get_value_names().filter(|_| argument.get_action().takes_values()).unwrap_or_default();
        let values = values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" ");
        let option = match (argument.get_short(), argument.get_long()) {
            (Some(short), _) => Some(format!("-{short}")),
            (None, long) => long.map(|long| format!("--{long}")),
        };
        let is_required = argument.is_required_set();
        line.push(roman(if is_required { " " } else { " [" }));
        line.extend(option.map(bold));
        line.push(italic(if values.is_empty() || argument.is_positional() { values } else { format!(" {values}") }));
        line.push(roman(if is_required { "" } else { "]" }));
    }
    if command.has_subcommands() {
        line.extend([roman(" "), italic("COMMAND")]);
    }
    let mut out = Roff::new();
    out.control("SH", ["SYNOPSIS"]).text(line);
    out
}

/// Parts of a help text that follow the options.
#[derive(Debug, Default, PartialEq, Eq)]
struct Notes<'a> {
    /// Command lines, each with its meaning, which may be empty.
    examples: Vec<(&'a str, &'a str)>,
    paragraphs: Vec<&'a str>,
}

impl<'a> Notes<'a> {
    /// Parses a help text. The exit codes are omitted, as [`reference`] contains them.
    fn of(text: &'a str) -> Self {
        let mut notes = Self::default();
        for paragraph in text.split("\n\n") {
            if let Some(examples) = paragraph.strip_prefix("Examples:\n") {
                notes.examples.extend(examples.lines().map(|line| two_columns(line.trim())));
            } else if !paragraph.starts_with("Exit code:") && !paragraph.is_empty() {
                notes.paragraphs.push(paragraph);
            }
        }
        notes
    }
}

/// Two columns of a line, separated by two or more blanks.
fn two_columns(line: &str) -> (&str, &str) {
    line.split_once("  ").map_or((line, ""), |(left, right)| (left, right.trim_start()))
}

fn description(command: &Command, notes: &Notes<'_>) -> Roff {
    let mut out = Roff::new();
    out.control("SH", ["DESCRIPTION"]);
    if let Some(about) = command.get_about() {
        out.text(inlines(&format!("{about}.")));
    }
    for paragraph in &notes.paragraphs {
        out.control("PP", []);
        self::paragraph(&mut out, paragraph);
    }
    out
}

/// Appends a paragraph of help text. Lines indented by two blanks are items: a term, and its definition after two blanks, or on the next
/// line with deeper indentation.
fn paragraph(out: &mut Roff, text: &str) {
    for line in text.lines() {
        let indented = line.len() - line.trim_start().len();
        if indented == 2 {
            let (term, definition) = two_columns(line.trim());
            out.control("TP", ["18"]).text([bold(term)]);
            if !definition.is_empty() {
                out.text(inlines(definition));
            }
        } else {
            out.text(inlines(line.trim()));
        }
    }
}

/// Text in which parts in backquotes are bold.
fn inlines(text: &str) -> Vec<Inline> {
    let parts = text.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    parts.map(|(number, part)| if number % 2 == 1 { bold(part) } else { roman(part) }).collect()
}

/// Appends a section of terms with their definitions.
fn entries<'a>(out: &mut Roff, heading: &str, entries: impl IntoIterator<Item = &'a Entry>) {
    out.control("SH", [heading]);
    for (term, definition) in entries {
        out.control("TP", []).text([bold(*term)]).text(inlines(definition));
    }
}

/// Appends a command line, preceded by its meaning.
fn example(out: &mut Roff, line: &str, meaning: &str) {
    out.control("PP", []);
    if !meaning.is_empty() {
        out.text(inlines(meaning));
    }
    out.control("RS", ["4"]).control("EX", []).text([roman(line)]).control("EE", []).control("RE", []);
}

/// Appends the list of other pages: those of the other commands or subcommands, and then the given ones.
fn see_also(out: &mut Roff, command: &Command, name: &str, others: &[&str]) {
    let subcommands = command.get_subcommands().filter(|command| !command.is_hide_set());
    let subcommands = subcommands.map(|command| format!("ora-{}(1)", command.get_name()));
    let own = if name == "ora" { None } else { Some("ora(1)".to_owned()) };
    let all = own.into_iter().chain(subcommands).chain(others.iter().map(|page| (*page).to_owned()));
    let mut line = Vec::new();
    for page in all {
        if !line.is_empty() {
            line.push(roman(", "));
        }
        let (page, section) = page.split_once('(').unwrap_or((&page, "1)"));
        line.extend([bold(page), roman(format!("({section}"))]);
    }
    out.control("SH", ["SEE ALSO"]).text(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roff(write: impl FnOnce(&mut Roff)) -> String {
        let mut out = Roff::new();
        write(&mut out);
        out.to_roff()
    }

    #[test]
    fn a_help_text_has_examples_and_paragraphs() {
        let text = "Examples:\n  ora a -- ./b      do it\n  ora c\n\nOne.\nTwo.\n\nExit code: 0\n";
        let expected =
            Notes { examples: vec![("ora a -- ./b", "do it"), ("ora c", "")], paragraphs: vec!["One.\nTwo."] };
        assert_eq!(Notes::of(text), expected);
    }

    #[test]
    fn indented_lines_are_a_list() {
        let text = "Times of `x`:\n  work      in a\n            region\n  lock, critical\n            waits";
        assert_eq!(
            roff(|out| paragraph(out, text)),
            "Times of \\fBx\\fR:\n.TP 18\n\\fBwork\\fR\nin a\nregion\n.TP 18\n\\fBlock, critical\\fR\nwaits\n"
        );
    }

    #[test]
    fn a_synopsis_has_options_with_their_values() {
        let command = Command::new("x").args([
            clap::Arg::new("json").long("json").action(clap::ArgAction::SetTrue),
            clap::Arg::new("program").required(true).value_name("PROGRAM"),
            clap::Arg::new("output").short('o').long("output").value_name("FILE"),
        ]);
        let text = synopsis(&command, "ora-x").to_roff().replace("\\fR", "").replace("\\fB", "").replace("\\fI", "");
        assert!(text.ends_with("ora x [\\-\\-json] [\\-o FILE] PROGRAM\n"), "{text}");
    }

    #[test]
    fn text_is_not_taken_for_requests() {
        assert_eq!(roff(|out| example(out, ".so x", "")), ".PP\n.RS 4\n.EX\n\\&.so x\n.EE\n.RE\n");
        assert!(roff(|out| paragraph(out, "'a")).starts_with("\\&'"));
    }
}
