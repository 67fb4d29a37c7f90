//! `bench growth`: how the cost of each command grows with the size of a program or of a recording, in each dimension that it can be large in.

mod cell;
mod command;
mod dimension;
mod live;
mod simulate;
mod used;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::answer::Answer;
use crate::options::Options;
use crate::programs::Programs;
use cell::Cell;
use command::{READERS, Reader, Recording, VISITORS, Visitor, WATCHERS, Watcher};
use dimension::{Dimension, Held, Source};
use live::Live;
use used::Used;

/// CPU time in seconds above which no larger size is tried, of a program's run or its recording, and of a simulated one.
const MAX_SECONDS: [f64; 2] = [4.0, 15.0];
/// Time of all cells of a dimension; later ones are left out.
const MAX_STEP: Duration = Duration::from_secs(540);

/// One dimension while it is measured.
struct Step<'a> {
    programs: &'a Programs,
    options: &'a Options,
    dimension: Dimension,
    begun: Instant,
}

/// Measures all cells. `--only` names commands, dimensions or both.
pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let named = |name: &str| options.only.iter().any(|only| only == name);
    let by_dimension = dimension::ALL.iter().any(|dimension| named(dimension.name));
    let mut cells = Vec::new();
    for dimension in dimension::ALL.into_iter().filter(|dimension| !by_dimension || named(dimension.name)) {
        let step = Step { programs, options, dimension, begun: Instant::now() };
        let mut made = step.watch()?;
        made.extend(step.visit()?);
        made.extend(step.read_simulated()?);
        made.iter_mut().for_each(Cell::fit);
        eprintln!("{}: {:.0} s", dimension.name, step.begun.elapsed().as_secs_f64());
        cells.extend(made);
    }
    let page = cell::page(&dimension::ALL, &cells);
    Answer::new(programs, &cells, page)
}

/// True if a command is selected, by its name or by the first word of that.
fn selects(options: &Options, name: &str) -> bool {
    let is_command = |only: &str| dimension::ALL.iter().all(|dimension| dimension.name != only);
    let first = name.split([' ', ',']).next();
    let mut commands = options.only.iter().filter(|only| is_command(only)).peekable();
    commands.peek().is_none() || commands.any(|only| only == name || Some(only.as_str()) == first)
}

impl Step<'_> {
    fn sizes(&self) -> &'static [u64] {
        let sizes = self.dimension.sizes;
        if self.options.quick { sizes.get(..2).unwrap_or_default() } else { sizes }
    }

    /// Number of runs of each command; 0: as many as its length asks for.
    fn rounds(&self) -> u32 {
        self.options.rounds(0, 1)
    }

    fn readers(&self, recording: Option<Recording>) -> impl Iterator<Item = &'static Reader> {
        let of = READERS.iter().filter(move |reader| Some(reader.recording) == recording);
        of.filter(|reader| selects(self.options, reader.name))
    }

    fn cell(&self, name: &str) -> Cell {
        Cell::new(name, &self.dimension)
    }

    /// Adds a figure, and returns true if a larger size can be tried.
    fn add(&self, cell: &mut Cell, size: u64, bare: Used, with: Result<Used>) -> bool {
        match with {
            Ok(with) => cell.add(size, bare, with),
            Err(error) => cell.note = Some(format!("at {size}: {error}")),
        }
        if cell.note.is_none() && Some(&size) != self.sizes().last() {
            let [of_program, of_simulated] = MAX_SECONDS;
            let is_program = matches!(self.dimension.source, Source::Program(_));
            let most = if is_program { of_program } else { of_simulated };
            let why = (cell.last_seconds() > most).then_some("its CPU time");
            let why = why.or((self.begun.elapsed() > MAX_STEP).then_some("the time of the others"));
            cell.note = why.map(|why| format!("no size above {size}, because of {why}"));
        }
        // A run that is ended early has shown its figures so far.
        eprintln!("{}: {}", self.dimension.name, cell.text());
        cell.note.is_none()
    }

    /// Cells of commands that watch a program from its start, and of those that read what these record.
    fn watch(&self) -> Result<Vec<Cell>> {
        let mut cells = Vec::new();
        for watcher in &WATCHERS {
            let readers: Vec<&Reader> = self.readers(watcher.recording).collect();
            if !selects(self.options, watcher.name) && readers.is_empty() {
                continue;
            }
            if let Some(reason) = watcher.meaningless(&self.dimension) {
                cells.push(Cell::without(watcher.name, &self.dimension, reason));
            } else {
                cells.extend(self.watch_by(watcher, &readers)?);
            }
        }
        Ok(cells)
    }

    fn watch_by(&self, watcher: &Watcher, readers: &[&Reader]) -> Result<Vec<Cell>> {
        let mut own = self.cell(watcher.name);
        let mut reading: Vec<Cell> = readers.iter().map(|reader| self.cell(reader.name)).collect();
        let folder = self.programs.file("growth-recording");
        let largest = watcher.largest(&self.dimension);
        // All sizes are smaller then, so that each is still ten times the previous one.
        let whole = self.dimension.sizes.last().copied().unwrap_or(1);
        let scaled = |size: u64| largest.map_or(size, |(largest, _)| size * largest / whole);
        for size in self.sizes().iter().copied().map(scaled) {
            let program = self.dimension.prepare(self.programs, size, watcher.flags())?;
            let arguments = self.dimension.arguments(self.programs, size)?;
            let set_up = |mut command: Command| {
                command.args(&arguments);
                self.dimension.set_up(&mut command);
                self.dimension.with_stack(command)
            };
            // ThreadSanitizer alone takes libgomp's synchronization for races, and sleeps at the exit while other threads spin.
            let alone = || {
                let mut command = Command::new(&program);
                command.env("TSAN_OPTIONS", "exitcode=0 atexit_sleep_ms=0");
                set_up(command)
            };
            let bare = match used::of(self.rounds(), &[0], || Ok(alone())) {
                Ok(bare) => bare,
                Err(error) => {
                    own.note = Some(format!("at {size}, bare: {error}"));
                    break;
                }
            };
            let watched = used::of(self.rounds(), &[0], || {
                remove(&folder);
                Ok(set_up(watcher.command(self.programs, &folder, &program)?))
            });
            let is_recorded = watched.is_ok();
            let goes_on = self.add(&mut own, size, bare, watched);
            if is_recorded {
                self.read(readers, &mut reading, size, &folder);
            }
            if !goes_on {
                break;
            }
        }
        remove(&folder);
        if let Some((largest, why)) = largest.filter(|(largest, _)| own.last_size() == Some(*largest)) {
            own.note = Some(format!("no size above {largest}: {why}"));
        }
        Ok([own].into_iter().chain(reading).collect())
    }

    /// Adds the figures of a recording to the cells of its readers.
    fn read(&self, readers: &[&Reader], cells: &mut [Cell], size: u64, folder: &Path) {
        for (reader, cell) in readers.iter().zip(cells).filter(|(_, cell)| cell.note.is_none()) {
            let late = (self.begun.elapsed() > MAX_STEP).then_some("the time of the others");
            if let Some(why) = reader.too_large(&self.dimension, size).or(late) {
                cell.note = Some(format!("not at {size}: {why}"));
                continue;
            }
            let output = self.programs.file("growth-output");
            let used = used::of(self.rounds(), &[0], || {
                remove(&output);
                fs::create_dir(&output)?;
                reader.command(self.programs, folder, &output.join("output"))
            });
            remove(&output);
            self.add(cell, size, Used::NOTHING, used);
        }
    }

    /// Cells of commands that examine a program which is already running.
    fn visit(&self) -> Result<Vec<Cell>> {
        let chosen = || VISITORS.iter().filter(|visitor| selects(self.options, visitor.name));
        let mut cells: Vec<(&Visitor, Cell)> = chosen()
            .map(|visitor| match visitor.meaningless(&self.dimension) {
                Some(reason) => (visitor, Cell::without(visitor.name, &self.dimension, reason)),
                None => (visitor, self.cell(visitor.name)),
            })
            .collect();
        let sizes = if matches!(self.dimension.source, Source::Program(held) if held != Held::Never) {
            self.sizes()
        } else {
            &[]
        };
        for size in sizes.iter().copied() {
            if cells.iter().all(|(_, cell)| cell.note.is_some()) {
                break;
            }
            let program = self.dimension.prepare(self.programs, size, &[])?;
            let arguments = self.dimension.arguments(self.programs, size)?;
            let live = Live::start(self.dimension, &program, &arguments);
            for (visitor, cell) in cells.iter_mut().filter(|(_, cell)| cell.note.is_none()) {
                match &live {
                    Ok(live) => {
                        self.add(cell, size, Used::NOTHING, live.visit(self.programs, visitor, self.rounds()));
                    }
                    Err(error) => cell.note = Some(format!("at {size}, bare: {error}")),
                }
            }
        }
        Ok(cells.into_iter().map(|(_, cell)| cell).collect())
    }

    /// Cells of commands that read simulated recordings.
    fn read_simulated(&self) -> Result<Vec<Cell>> {
        let mut all = Vec::new();
        if matches!(self.dimension.source, Source::Program(_)) {
            return Ok(all);
        }
        for recording in [Recording::Stat, Recording::Profile, Recording::Trace] {
            let readers: Vec<&Reader> = self.readers(Some(recording)).collect();
            let mut cells: Vec<Cell> = readers
                .iter()
                .map(|reader| match reader.meaningless(&self.dimension) {
                    Some(reason) => Cell::without(reader.name, &self.dimension, reason),
                    None => self.cell(reader.name),
                })
                .collect();
            let folder = self.programs.file("growth-recording");
            for size in self.sizes().iter().copied() {
                if cells.iter().any(|cell| cell.note.is_none()) {
                    remove(&folder);
                    simulate::write(&folder, self.dimension.source, size, recording)?;
                    // A child's peak of memory begins at that of the process that starts it (getrusage(2)): forget what writing took.
                    let _ = fs::write("/proc/self/clear_refs", "5");
                    self.read(&readers, &mut cells, size, &folder);
                }
            }
            remove(&folder);
            all.extend(cells);
        }
        Ok(all)
    }
}

/// Removes a file or a folder, if it is there.
fn remove(path: &Path) {
    let _ = fs::remove_dir_all(path).or_else(|_| fs::remove_file(path));
}
