//! Programs that stay alive while a command examines them.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use super::command::Visitor;
use super::dimension::{Dimension, Held, Source};
use super::used::{self, Used};
use crate::programs::Programs;

/// Program that has reached its size. It ends when this is dropped.
pub(super) struct Live {
    child: Child,
    is_idle: bool,
}

impl Live {
    /// Starts a program and waits until it has reached its size.
    pub(super) fn start(dimension: Dimension, program: &Path, arguments: &[String]) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments);
        dimension.set_up(&mut command);
        command.env("GROWTH_HOLD", "1");
        let mut command = dimension.with_stack(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut live = Self { child: command.spawn()?, is_idle: dimension.source == Source::Program(Held::Built) };
        let output = live.child.stdout.as_mut().context("its output is a pipe")?;
        if output.read(&mut [0])? == 0 {
            bail!("it ended before it had its size");
        }
        Ok(live)
    }

    /// Resources of a command that examines the program; if the program is idle, with what the command makes it do.
    pub(super) fn visit(&self, programs: &Programs, visitor: &Visitor, rounds: u32) -> Result<Used> {
        let (process, output) = (self.child.id(), programs.file("growth-output"));
        let mut inside = Vec::new();
        let mut before = used::cpu_seconds_of(process);
        let outside = used::of(rounds, visitor.codes, || {
            let now = used::cpu_seconds_of(process);
            inside.push(now - std::mem::replace(&mut before, now));
            super::remove(&output);
            visitor.command(programs, process, &output)
        })?;
        super::remove(&output);
        inside.push(used::cpu_seconds_of(process) - before);
        // The first one is the time before the first command.
        let inside = inside.into_iter().skip(1).fold(f64::INFINITY, f64::min);
        let inside = if self.is_idle { inside } else { 0.0 };
        Ok(Used { cpu_seconds: outside.cpu_seconds + inside, ..outside })
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
