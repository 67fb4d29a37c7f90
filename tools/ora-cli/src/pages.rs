//! `ora pages`: man pages and shell completions, for those who install `ora`.
//!
//! The options come from the command line's definition; the notes below each help text stand in the man page as they are.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::{Args, Pages};
use crate::ending::Ending;
use report::printable::Shown;

/// Path of each shell's completion file below `share`.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/ora"),
    (Shell::Zsh, "zsh/site-functions/_ora"),
    (Shell::Fish, "fish/vendor_completions.d/ora.fish"),
];

/// # Errors
/// When the folder can't be written to.
pub(crate) fn pages(args: &Pages) -> Result<Ending> {
    // `help` has no page: it repeats what the others say.
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let manual = args.folder.join("man/man1");
    for command in std::iter::once(&command).chain(command.get_subcommands()) {
        if command.is_hide_set() {
            continue;
        }
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        write(&manual.join(format!("{name}.1")), |out| page(command, out))?;
    }
    for (shell, place) in SHELLS {
        write(&args.folder.join(place), |out| {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "ora", &mut script);
            out.write_all(&script)
        })?;
    }
    Ok(Ending::Code(0))
}

/// One man page.
fn page(command: &Command, out: &mut dyn Write) -> io::Result<()> {
    let man = Man::new(command.clone()).manual("ora");
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    if let Some(notes) = command.get_after_help() {
        writeln!(out, ".SH NOTES\n.nf")?;
        for line in notes.to_string().lines() {
            writeln!(out, "{}", plain(line))?;
        }
        writeln!(out, ".fi")?;
    }
    Ok(())
}

/// `line` without what roff would take for its own.
fn plain(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
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

    #[test]
    fn notes_are_not_taken_for_requests() {
        assert_eq!(plain(".so x"), "\\&.so x");
        assert_eq!(plain("'a"), "\\&'a");
        assert_eq!(plain("  ora stat -- a\\b"), "  ora stat \\-\\- a\\eb");
    }

    #[test]
    fn each_command_has_a_page_and_each_shell_a_completion() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        pages(&Pages { folder: folder.to_owned() }).unwrap();
        let mut manual: Vec<String> = fs::read_dir(folder.join("man/man1"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        manual.sort();
        let mut commands: Vec<String> = Args::command()
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(|command| format!("ora-{}.1", command.get_name()))
            .collect();
        commands.push("ora.1".to_owned());
        commands.sort();
        assert_eq!(manual, commands);
        let stat = fs::read_to_string(folder.join("man/man1/ora-stat.1")).unwrap();
        assert!(stat.contains("  ora stat \\-\\-no\\-follow \\-\\- ./script.sh\n"), "{stat}");
        for (_, place) in SHELLS {
            assert!(fs::read_to_string(folder.join(place)).unwrap().contains("log-requests"), "{place}");
        }
    }
}
