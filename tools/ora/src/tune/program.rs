//! The program that is tuned: one run of it, and whether its results are right.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use super::setting::Setting;
use crate::args::Tune;
use crate::exit::{Exit, Failure};
use crate::scratch::{self, Scratch};
use crate::stat::{Prepared, Run};
use crate::{libraries, program, signals};

/// A run that has ended.
pub(super) enum Ended<T> {
    Well(T),
    /// With this status, or with wrong results.
    Badly(Exit),
}

/// A program, and how its results are compared.
pub(super) struct Program<'a> {
    words: &'a [OsString],
    check: Check<'a>,
    show_output: bool,
    folder: Scratch,
}

enum Check<'a> {
    None,
    /// The output is what it was in the first run.
    Same(OnceCell<Vec<u8>>),
    /// A command that reads the output.
    Command(&'a str),
}

impl<'a> Program<'a> {
    /// # Errors
    /// If there is no place for the program's output.
    pub(super) fn new(args: &'a Tune) -> Result<Self> {
        let check = match args.check.as_deref() {
            None => Check::None,
            Some("") => Check::Same(OnceCell::new()),
            Some(command) => Check::Command(command),
        };
        let folder = scratch::folder().context("cannot make a folder for the program's output")?;
        Ok(Self { words: &args.program, check, show_output: args.show_output, folder })
    }

    /// A file of ours that lasts as long as this.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A run under the collector of `ora stat`.
    ///
    /// # Errors
    /// If it can't be started, or its output can't be compared.
    pub(super) fn watch(&self, setting: &Setting) -> Result<Ended<Run>> {
        let prepared = Prepared::new()?;
        let output = self.output()?;
        let finished = prepared.run(self.words, true, |command| {
            command.envs(setting.variables());
            self.direct(command, output);
        })?;
        if finished.exit != Exit::Code(0) {
            return Ok(Ended::Badly(finished.exit));
        }
        if !self.is_right()? {
            if !setting.is_default() {
                return Ok(Ended::Badly(finished.exit));
            }
            let message = "the check fails on the program as it is".to_owned();
            return Err(Failure { code: crate::exit::OWN_FAILURE, message }.into());
        }
        Ok(Ended::Well(Run::read(prepared.area(), &finished, &prepared.instrumented())))
    }

    /// A run without any library of ours, unless the setting needs one: its wall time in nanoseconds.
    ///
    /// # Errors
    /// If it can't be started, or its output can't be compared.
    pub(super) fn time(&self, setting: &Setting) -> Result<Ended<f64>> {
        let library = setting.is_by_region().then(|| libraries::find(libraries::LIBRARY)).transpose()?;
        let mut command = program::command(self.words, library.as_slice())?;
        command.envs(setting.variables());
        self.direct(&mut command, self.output()?);
        let begin = Instant::now();
        let status = signals::run(&mut command).map_err(|error| {
            program::cannot_start(self.words.first().map(OsString::as_os_str).unwrap_or_default(), &error)
        })?;
        let took_ns = begin.elapsed().as_secs_f64() * 1e9;
        let exit = Exit::of(status);
        if exit == Exit::Code(0) && self.is_right()? {
            return Ok(Ended::Well(took_ns));
        }
        if exit == Exit::Code(0) && setting.is_default() {
            anyhow::bail!(
                "the program's results differ from run to run: compare them by a command that knows how (--check 'CMD')"
            );
        }
        Ok(Ended::Badly(exit))
    }

    /// The file of the program's output.
    fn path(&self) -> PathBuf {
        self.file("output")
    }

    /// An empty one, if anyone is to see it.
    fn output(&self) -> Result<Option<File>> {
        match self.check {
            Check::None => Ok(None),
            _ => Ok(Some(File::create(self.path()).context("cannot make a file for the program's output")?)),
        }
    }

    fn direct(&self, command: &mut Command, output: Option<File>) {
        if let Some(output) = output {
            command.stdout(output);
        } else if !self.show_output {
            command.stdout(Stdio::null());
        }
        if !self.show_output {
            command.stderr(Stdio::null());
        }
        command.stdin(Stdio::null());
    }

    fn is_right(&self) -> Result<bool> {
        match &self.check {
            Check::None => Ok(true),
            Check::Same(first) => {
                let output = fs::read(self.path()).context("cannot read the program's output")?;
                Ok(*first.get_or_init(|| output.clone()) == output)
            }
            Check::Command(command) => {
                let output = File::open(self.path()).context("cannot read the program's output")?;
                let mut shell = Command::new("sh");
                shell.args(["-c", command]).stdin(output).stdout(Stdio::null());
                let status = shell.status().with_context(|| format!("cannot start the check `{command}`"))?;
                Ok(status.success())
            }
        }
    }
}
