//! `ora pages`: man pages and shell completions, for an installation.
//!
//! Name, synopsis and options of a page come from the definition of the command line. Description, examples and exit status come from the
//! notes below each help text ([`manual`]), and the other sections from [`reference`]. `libora(7)` is handwritten.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

mod manual;
mod reference;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::args::{Args, Pages};
use crate::exit::Exit;
use terminal::printable::Shown;

/// Path of each shell's completion file below `share`.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/ora"),
    (Shell::Zsh, "zsh/site-functions/_ora"),
    (Shell::Fish, "fish/vendor_completions.d/ora.fish"),
];

/// Page about the library. `@VERSION@` is replaced by the version.
const LIBRARY: &str = include_str!("../../man/libora.7");

/// Writes the pages and completions below the folder.
///
/// # Errors
/// If the folder can't be written to.
pub(crate) fn pages(args: &Pages) -> Result<Exit> {
    // `help` has no page, as it repeats the others.
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let manual = args.folder.join("man");
    for command in std::iter::once(&command).chain(command.get_subcommands()) {
        if command.is_hide_set() {
            continue;
        }
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        write(&manual.join(format!("man1/{name}.1")), |out| manual::page(command, &name, out))?;
    }
    write(&manual.join("man7/libora.7"), |out| {
        out.write_all(LIBRARY.replace("@VERSION@", env!("CARGO_PKG_VERSION")).as_bytes())
    })?;
    for (shell, place) in SHELLS {
        write(&args.folder.join(place), |out| {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut without_hidden(&Args::command()), "ora", &mut script);
            out.write_all(&script)
        })?;
    }
    Ok(Exit::Code(0))
}

/// Command as offered by completions, without hidden parts.
fn without_hidden(command: &Command) -> Command {
    let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    Command::new(command.get_name().to_owned())
        .about(command.get_about().cloned().unwrap_or_default())
        .args(arguments.cloned())
        .subcommands(commands.map(without_hidden))
}

fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let written = || -> io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        let mut out = BufWriter::new(File::create(path)?);
        content(&mut out)?;
        out.flush()
    };
    written().with_context(|| format!("cannot write {}", path.shown()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tempfile::TempDir;

    /// Pages by name, written to a folder of their own.
    fn written() -> (TempDir, BTreeMap<String, String>) {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        pages(&Pages { folder: folder.to_owned() }).unwrap();
        let files = ["man/man1", "man/man7"].map(|section| fs::read_dir(folder.join(section)).unwrap());
        let files = files.into_iter().flatten().map(Result::unwrap);
        let pages = files
            .map(|file| (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap()))
            .collect();
        (scratch, pages)
    }

    #[test]
    fn each_command_has_a_page_and_each_shell_a_completion() {
        let (scratch, pages) = written();
        let mut commands: Vec<String> = Args::command()
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(|command| format!("ora-{}.1", command.get_name()))
            .collect();
        commands.extend(["ora.1".to_owned(), "libora.7".to_owned()]);
        commands.sort();
        assert_eq!(pages.keys().collect::<Vec<_>>(), commands.iter().collect::<Vec<_>>());
        assert!(
            pages["ora-stat.1"].contains("ora stat \\-\\-no\\-follow \\-\\- ./script.sh\n"),
            "{}",
            pages["ora-stat.1"]
        );
        for (_, place) in SHELLS {
            let script = fs::read_to_string(scratch.path().join(place)).unwrap();
            assert!(script.contains("log-requests"), "{place}");
            let hidden = ["stand-ins", "summary", "pages"];
            assert!(hidden.iter().all(|name| !script.contains(name)), "{place}:\n{script}");
        }
    }

    #[test]
    fn each_page_has_every_section() {
        let sections =
            ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"];
        for (name, page) in written().1 {
            let heading = |section: &str| [format!("\n.SH {section}\n"), format!("\n.SH \"{section}\"\n")];
            for section in sections {
                assert!(heading(section).iter().any(|line| page.contains(line)), "{name} has no {section}:\n{page}");
            }
            assert!(page.contains(env!("CARGO_PKG_VERSION")), "{name}:\n{page}");
        }
    }

    #[test]
    fn pages_refer_to_pages_that_exist() {
        let (_scratch, pages) = written();
        for (name, page) in &pages {
            let plain = page.replace("\\fB", "").replace("\\fR", "").replace("\\-", "-").replace(" (", "(");
            let see_also = plain.split("SEE ALSO").nth(1).unwrap();
            let other = if name == "libora.7" { "ora(1)" } else { "libora(7)" };
            assert!(see_also.contains(other), "{name}: {see_also}");
            let words = see_also.split(|c: char| c.is_whitespace() || c == ',');
            for (page, section) in words.filter_map(|word| word.strip_suffix(')')?.split_once('(')) {
                let ours = page == "ora" || page == "libora" || page.starts_with("ora-");
                assert!(!ours || pages.contains_key(&format!("{page}.{section}")), "{name}: {page}({section})");
            }
        }
    }
}
