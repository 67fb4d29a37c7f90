//! Start of the user's program, and the reasons why it may fail.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Result, bail};
use linking::image::{Image, Kind};
use linking::scope::is_glibc;
pub(crate) use linking::search_path::{file, in_path};
use terminal::printable::Shown;

use crate::exit::Failure;
use crate::{preload, signals};

const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

/// The program with our libraries before those that the user preloads, and with the signal settings with which `ora` was started.
///
/// # Errors
/// If LD_PRELOAD can't contain a path.
pub(crate) fn command(words: &[OsString], libraries: &[PathBuf]) -> Result<Command> {
    let (program, arguments) = words.split_first().ok_or_else(|| anyhow::anyhow!("no program is named"))?;
    let mut command = Command::new(program);
    command.args(arguments);
    command.envs(preloading(program, libraries)?);
    signals::pass_on(&mut command);
    Ok(command)
}

/// Variables that start a program with these libraries; none if it can't load them.
///
/// # Errors
/// If a library is missing, or LD_PRELOAD can't contain a path.
pub(crate) fn preloading(program: &OsStr, libraries: &[PathBuf]) -> Result<Vec<(&'static str, OsString)>> {
    if takes_libraries(Path::new(program)) { Ok(preload::variables(libraries)?.into()) } else { Ok(Vec::new()) }
}

/// True if a program is for this machine and for glibc, as our libraries are. A statically linked program also counts, because it may start
/// others that are; so does an unreadable one.
fn takes_libraries(program: &Path) -> bool {
    let Some(mut path) = file(program) else { return true };
    // As many interpreters as the kernel follows (execve(2)).
    for _ in 0..5 {
        match Kind::of(&path) {
            Ok(Kind::Script(line)) => match line.split_whitespace().next() {
                Some(interpreter) => path = interpreter.into(),
                None => return true,
            },
            Ok(Kind::Ours) => {
                let image = Image::read(&path).unwrap_or_default();
                return image.interpreter.is_none_or(|interpreter| is_glibc(&interpreter));
            }
            Ok(Kind::Foreign(_)) => return false,
            Ok(Kind::Other) | Err(_) => return true,
        }
    }
    true
}

/// Runs the program of a command to its end. `words` name it.
///
/// # Errors
/// If it can't be started.
pub(crate) fn run(command: &mut Command, words: &[OsString]) -> Result<ExitStatus, Failure> {
    let name = words.first().map(OsString::as_os_str).unwrap_or_default();
    signals::run(command).map_err(|error| cannot_start(name, &error))
}

/// Has a worker's last barrier reported late, unless the user has chosen: otherwise the program would execute additional barriers.
pub(crate) fn report_barriers_late(command: &mut Command) {
    const VARIABLE: &str = "ORA_IBAR";
    if env::var_os(VARIABLE).is_none() {
        command.env(VARIABLE, "late");
    }
}

/// # Errors
/// If the user has disabled the library, with the command's name in the remedy.
pub(crate) fn refuse_disabled(name: &str) -> Result<()> {
    if env::var_os("ORA_DISABLE").is_some_and(|set| set == "1") {
        bail!("ORA_DISABLE=1 is set: nothing would be seen. Unset it: `env -u ORA_DISABLE ora {name} ...`");
    }
    Ok(())
}

/// Error for a program that could not be started: the cause, and the remedy.
pub(crate) fn cannot_start(program: &OsStr, error: &io::Error) -> Failure {
    let path = Path::new(program);
    let name = path.shown();
    let by_path = path.components().count() > 1 || path.has_root();
    match error.kind() {
        io::ErrorKind::NotFound if by_path && path.exists() => Failure {
            code: NOT_EXECUTABLE,
            message: format!(
                "cannot run {name}: its interpreter is missing. Check its first line, or the output of `file {name}`"
            ),
        },
        io::ErrorKind::NotFound if by_path => {
            Failure { code: NOT_FOUND, message: format!("cannot run {name}: there is no such file. Check the path") }
        }
        io::ErrorKind::NotFound => Failure {
            code: NOT_FOUND,
            message: if path.is_file() {
                format!("cannot run {name}: it is not in any folder of PATH. Did you mean ./{name}?")
            } else {
                format!("cannot run {name}: it is not in any folder of PATH. Give its path, or check the name")
            },
        },
        io::ErrorKind::PermissionDenied if path.is_dir() => Failure {
            code: NOT_EXECUTABLE,
            message: format!("cannot run {name}: it is a folder. Name a program in it"),
        },
        io::ErrorKind::PermissionDenied => Failure {
            code: NOT_EXECUTABLE,
            message: format!(
                "cannot run {name}: it is not executable. Try `chmod +x {name}`, or check the folder's mount"
            ),
        },
        _ if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => Failure {
            code: NOT_EXECUTABLE,
            message: format!("cannot run {name}: {error}. Raise the limit on open files (ulimit -n)"),
        },
        _ => Failure {
            code: NOT_EXECUTABLE,
            message: format!(
                "cannot run {name}: {error}. Check that it is a program for this machine with `file {name}`"
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(program: &str, errno: i32) -> (u8, String) {
        let Failure { code, message } = cannot_start(OsStr::new(program), &io::Error::from_raw_os_error(errno));
        (code, message)
    }

    #[test]
    fn each_reason_has_its_code_and_its_next_step() {
        for (program, errno, code, says) in [
            ("no-such-program", libc::ENOENT, 127, "PATH"),
            ("./no-such-program", libc::ENOENT, 127, "no such file"),
            ("Cargo.toml", libc::ENOENT, 127, "Did you mean ./Cargo.toml"),
            ("./Cargo.toml", libc::ENOENT, 126, "interpreter"),
            ("./Cargo.toml", libc::EACCES, 126, "chmod +x ./Cargo.toml"),
            ("/", libc::EACCES, 126, "folder"),
            ("./Cargo.toml", libc::ENOEXEC, 126, "file ./Cargo.toml"),
        ] {
            let (got, message) = failure(program, errno);
            assert_eq!(got, code, "{message}");
            assert!(message.contains(says), "{message}");
        }
    }
}
