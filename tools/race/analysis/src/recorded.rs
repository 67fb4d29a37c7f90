//! Programs as their processes have recorded them: each from one [`race_format::Line::Process`] to the next.

use std::collections::HashMap;
use std::path::Path;

use race_format::{End, Line, Lines, Process, Race, Suppressed};

use crate::frames::{Loaded, Segments};
use crate::run::Run;

/// A program that a process has run.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) process: Process,
    pub(crate) loaded: Vec<Loaded>,
    /// Races, each with the position of its line in the file.
    pub(crate) races: Vec<(u64, Race)>,
    pub(crate) suppressed: Vec<Suppressed>,
    /// `None` if the process died, or was replaced by another program.
    pub(crate) end: Option<End>,
    /// Number of lines that were not understood.
    pub(crate) skipped: usize,
}

impl Program {
    /// True if the program has ThreadSanitizer linked in.
    pub(crate) fn has_sanitizer_inside(&self) -> bool {
        let library = self.process.libtsan.rsplit('/').next().unwrap_or_default();
        !library.is_empty() && !["libtsan.", "libclang_rt."].iter().any(|begin| library.starts_with(begin))
    }
}

/// The programs of a run.
pub(crate) fn programs(run: &Run, segments: &mut Segments) -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    for file in &run.left.files {
        programs.append(&mut of_file(file, segments));
    }
    // A forked child may omit modules that its parent has written.
    let known: HashMap<u32, Vec<Loaded>> = programs
        .iter()
        .filter(|program| !program.loaded.is_empty())
        .map(|program| (program.process.pid, program.loaded.clone()))
        .collect();
    for program in programs.iter_mut().filter(|program| program.loaded.is_empty()) {
        if let Some(parents) = known.get(&program.process.parent) {
            program.loaded = parents.iter().map(|loaded| Loaded { since: 0, ..loaded.clone() }).collect();
        }
    }
    for program in &mut programs {
        let Some(reports) = run.left.logs.get(&program.process.pid).filter(|_| program.races.is_empty()) else {
            continue;
        };
        let last = program.loaded.iter().map(|loaded| loaded.since).max().unwrap_or_default();
        let bias = |object: &str| {
            let named =
                |loaded: &&Loaded| Path::new(&loaded.module.path).file_name().is_some_and(|name| name == object);
            program.loaded.iter().find(named).map(|loaded| loaded.bias)
        };
        let races = (1..).zip(reports).filter_map(|(id, report)| Some((last, report.clone().race(id, bias)?)));
        program.races = races.collect();
    }
    programs
}

fn of_file(file: &Lines, segments: &mut Segments) -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    for (number, line) in (1..).zip(&file.lines) {
        if let Line::Process(process) = line {
            programs.push(Program { process: process.clone(), ..Program::default() });
            continue;
        }
        if programs.is_empty() {
            programs.push(Program::default());
        }
        let Some(program) = programs.last_mut() else { continue };
        match line {
            Line::Process(_) => {}
            Line::Module(module) => program.loaded.push(Loaded::new(module.clone(), number, segments)),
            Line::Race(race) => program.races.push((number, (**race).clone())),
            Line::Suppressed(suppressed) => program.suppressed.push(suppressed.clone()),
            Line::End(end) => program.end = Some(end.clone()),
        }
    }
    if let Some(last) = programs.last_mut() {
        last.skipped = file.skipped;
    }
    programs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::left::Left;
    use crate::plan::Plan;
    use crate::run::Ending;

    #[test]
    fn a_process_that_executes_a_program_is_two_and_a_child_has_its_parents_modules() {
        let parent = "{\"type\":\"process\",\"pid\":5}\n\
             {\"type\":\"module\",\"path\":\"/a\",\"start\":\"0x10\",\"end\":\"0x20\",\"offset\":\"0x0\"}\n\
             {\"type\":\"suppressed\",\"count\":1,\"reason\":\"x\"}\n\
             {\"type\":\"process\",\"pid\":5,\"command\":[\"other\"]}\n{\"type\":\"end\",\"races\":0}\n{\"type\":\"?\"}\n";
        let child = "{\"type\":\"process\",\"pid\":6,\"parent\":5}\n";
        let files = [parent, child].map(|text| race_format::read(text.as_bytes())).to_vec();
        let run = Run {
            plan: Plan { threads: None, seed: 1 },
            ending: Ending::Code(0),
            logged: false,
            left: Left { files, logs: HashMap::new() },
        };
        let programs = programs(&run, &mut Segments::default());
        let [first, second, child] = programs.as_slice() else { panic!("{programs:?}") };
        assert_eq!((first.loaded.len(), first.suppressed.len(), first.end.is_none()), (1, 1, true));
        assert_eq!((second.process.command.len(), second.end.is_some(), second.skipped), (1, true, 1));
        assert_eq!((child.loaded.len(), child.loaded[0].since), (1, 0));
    }
}
