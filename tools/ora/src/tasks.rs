//! `ora tasks`: runs a program with the collector of tasks and shows the cost of its tasks. The crate `stat_analysis` converts the
//! collector's memory to figures, tables and JSON.

use std::ffi::OsString;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result};
use attach_inside::nameless;
use stat_analysis::tasks::{RawRun, TasksRun, TasksTable, dot, json, tree};
use stat_layout::tasks::AREA_VARIABLE;
use stat_layout::tasks::layout::TasksArea;
use symbols::{INSTRUMENTED_VARIABLE, Instrumented};
use terminal::printable::command_line;

use crate::args::{Tasks, TreeFormat};
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::{doctor, launch};

/// # Errors
/// If a library is missing, FILE can't be written, or the program can't be started.
pub(crate) fn tasks(args: &Tasks) -> Result<Exit> {
    let mut output = Output::open(args.output.as_deref())?;
    let instances = if args.tree.is_some() { args.tree_max } else { 0 };
    let shared = launch::shared::<TasksArea>(instances)?;
    let written = nameless::create(c"ora-pomp-regions").context("cannot create a file for the program to write to")?;

    let finished = launch::run(&args.program, &[], &shared, AREA_VARIABLE, !args.no_follow, |command| {
        command.env(INSTRUMENTED_VARIABLE, nameless::path(&written));
    })?;
    let pace = finished.pace;
    let instrumented = Rc::new(Instrumented::read([Path::new(&nameless::path(&written))]));
    let run = TasksRun::read(&RawRun { area: shared.area(), instances: shared.items(), pace, finished, instrumented });

    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let name = command_line(&words);
    let program = args.program.first().map(OsString::as_os_str).unwrap_or_default();
    let answer = match (args.tree, args.json) {
        (Some(TreeFormat::Dot), _) => Answer::Text(dot::graph(&run)),
        (Some(TreeFormat::Json), _) => Answer::Json(json::tree(&run)?),
        (tree, true) => Answer::Json(json::document(&args.program, &run, tree.is_some())?),
        (tree, false) => {
            let why_unseen = if run.is_seen() { None } else { doctor::why_unseen(program) };
            let (rows, places, followed) = (args.rows.unwrap_or(32), args.rows.unwrap_or(10), !args.no_follow);
            let mut page =
                TasksTable { name: &name, why_unseen, without_events: None, rows, places, followed }.render(&run);
            if tree.is_some() {
                tree::render(&mut page, &run);
            }
            Answer::Page(page, args.screen)
        }
    };
    output.write(&answer)?;
    Ok(finished.exit)
}
