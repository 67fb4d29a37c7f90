//! Races with functions, lines and variables in place of addresses.

use std::collections::BTreeSet;

use race_format::{Access, Address, Location, Race};
use serde::Serialize;
use symbols::{ConstructKind, Files};

use crate::debug_info::DebugInfo;
use crate::frames::{Frame, Resolver, Segments};
use crate::recorded::Program;
use crate::source::{self, Sources};

/// The detector's reason for a race that is only possible, since one thread has executed both chunks.
const CHUNKS: &str = "chunks of one thread";

/// A race, merged from all reports about the same pair of places.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) sure: bool,
    pub(crate) why_possible: Option<String>,
    pub(crate) sides: [Side; 2],
    pub(crate) variable: Variable,
    /// Number of reports.
    pub(crate) times: u64,
    /// Numbers of the runs, from 1.
    pub(crate) runs: BTreeSet<usize>,
    /// Numbers of the processes.
    pub(crate) pids: BTreeSet<u32>,
    /// Sizes of the teams.
    pub(crate) teams: BTreeSet<u32>,
}

/// One of the two accesses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    pub(crate) write: bool,
    pub(crate) atomic: bool,
    pub(crate) size: u64,
    pub(crate) os_thread: u64,
    pub(crate) omp_thread: Option<u32>,
    /// The user's functions, innermost first; empty if the stack was not restored.
    pub(crate) stack: Vec<Frame>,
    /// True if the innermost line is that of the access: no library was called there.
    pub(crate) direct: bool,
    /// Text of the innermost line.
    pub(crate) text: Option<String>,
    pub(crate) construct: Option<Construct>,
    pub(crate) region: Option<Region>,
    pub(crate) mutexes: Vec<Mutex>,
    pub(crate) since: Option<(String, Option<Frame>)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Construct {
    pub(crate) kind: String,
    /// Numbers of its task and of the one that created it; 0 if unknown.
    pub(crate) id: u64,
    pub(crate) parent: u64,
    pub(crate) at: Option<Frame>,
    /// Stack of a task's creation.
    pub(crate) created: Vec<Frame>,
}

#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) at: Option<Frame>,
    /// Number of the instance.
    pub(crate) id: u64,
    pub(crate) team: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Mutex {
    pub(crate) kind: String,
    pub(crate) wait_id: Address,
    pub(crate) at: Option<Frame>,
}

/// A variable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Variable {
    /// `"global"`, `"heap"`, `"stack"`, `"tls"` or `"unknown"`.
    pub(crate) kind: String,
    /// The name, with the part of an array or a structure that was accessed.
    pub(crate) name: Option<String>,
    /// True: the name was found in the text of the lines only.
    pub(crate) by_source: bool,
    /// Number of bytes of all of it; 0: unknown.
    pub(crate) size: u64,
    /// File and line of its declaration.
    pub(crate) declared: Option<(String, u32)>,
    /// Functions that allocated it, innermost first.
    pub(crate) allocated: Vec<Frame>,
    /// True if the accessing thread has allocated it.
    #[serde(skip)]
    pub(crate) is_accessors: bool,
    /// True if only one source file of the process can name it.
    #[serde(skip)]
    pub(crate) is_in_one_file: bool,
}

/// Resources for building findings; shared by all processes.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    pub(crate) files: Files,
    pub(crate) sources: Sources,
    pub(crate) debug_info: DebugInfo,
    pub(crate) segments: Segments,
}

impl Finding {
    /// True for chunks of one thread that use a block which this thread has allocated inside a region.
    ///
    /// This avoids a false report: the buffer that a thread allocates in the region, for all of its chunks.
    pub(crate) fn is_of_threads_buffer(&self) -> bool {
        let in_region = |frame: &Frame| matches!(frame.body_of, Some((ConstructKind::Parallel, _)));
        self.why_possible.as_deref() == Some(CHUNKS)
            && self.variable.is_accessors
            && self.variable.allocated.iter().any(in_region)
    }
}

impl Side {
    /// Innermost function of the user.
    pub(crate) fn frame(&self) -> Option<&Frame> {
        self.stack.first()
    }

    /// `write`, `atomic read` and so on.
    pub(crate) fn what(&self) -> &'static str {
        match (self.atomic, self.write) {
            (false, false) => "read",
            (false, true) => "write",
            (true, false) => "atomic read",
            (true, true) => "atomic write",
        }
    }

    /// True in an explicit task.
    pub(crate) fn in_task(&self) -> bool {
        self.construct.as_ref().is_some_and(|construct| construct.kind.starts_with("task"))
    }

    /// True in a team of a league.
    pub(crate) fn in_team(&self) -> bool {
        self.construct.as_ref().is_some_and(|construct| construct.kind == "team")
    }

    /// Frames from the innermost one to the body of the construct.
    pub(crate) fn in_construct(&self) -> impl Iterator<Item = &Frame> {
        let body = self.stack.iter().position(|frame| frame.body_of.is_some()).unwrap_or(self.stack.len());
        self.stack.iter().take(body + 1)
    }

    /// The assignment that the access is.
    pub(crate) fn assignment(&self) -> Option<source::Assignment> {
        self.in_line().filter(|_| self.write)
    }

    /// The assignment in the line of the access.
    pub(crate) fn in_line(&self) -> Option<source::Assignment> {
        let comment = if self.frame().is_some_and(Frame::is_fortran) { "!" } else { "//" };
        let code = self.text.as_deref()?.split(comment).next()?;
        source::assignment(code).filter(|_| self.direct)
    }
}

/// The races of one program in one run.
pub(crate) fn findings(program: &Program, run: usize, tools: &mut Tools) -> Vec<Finding> {
    let mut resolver = Resolver::new(&tools.files, program.loaded.clone());
    program
        .races
        .iter()
        .map(|(now, race)| finding(race, program.process.pid, run, &mut resolver, tools, *now))
        .collect()
}

fn finding(race: &Race, pid: u32, run: usize, resolver: &mut Resolver, tools: &mut Tools, now: u64) -> Finding {
    let sides = race.accesses.each_ref().map(|access| side(access, resolver, &mut tools.sources, now));
    let variable = variable(race, &sides, resolver, tools, now);
    let team = |side: &Side| side.region.as_ref().map(|region| region.team).filter(|team| *team > 0);
    Finding {
        sure: race.sure,
        why_possible: race.why_possible.clone().filter(|_| !race.sure),
        teams: sides.iter().filter_map(team).collect(),
        sides,
        variable,
        times: 1,
        runs: [run].into(),
        pids: [pid].into(),
    }
}

fn side(access: &Access, resolver: &mut Resolver, sources: &mut Sources, now: u64) -> Side {
    let stack = resolver.stack(&access.stack, access.exact, now);
    let mut at = |codeptr: Address| resolver.user_frame(codeptr, now);
    let since = access.since.as_ref().map(|since| (since.kind.clone(), at(since.codeptr)));
    let mutexes = access.mutexes.iter().map(|mutex| Mutex {
        kind: mutex.kind.clone(),
        wait_id: mutex.wait_id,
        at: at(mutex.codeptr),
    });
    let mutexes = mutexes.collect();
    // Without the detector's data, regions are distinguished by their place.
    let seen = || body(&stack).map(|at| Region { id: at.line.into(), at: Some(at), team: 0 });
    let region = access.region.as_ref().map(|region| Region {
        // The body is the most precise: compilers let regions share the call that starts them.
        at: body(&stack)
            .or_else(|| resolver.user_frame(region.codeptr, now))
            .or_else(|| resolver.body(region.function, now)),
        id: region.id,
        team: region.team,
    });
    let region = region.or_else(seen);
    let construct = access.construct.as_ref().map(|construct| Construct {
        kind: construct.kind.clone(),
        id: construct.id,
        parent: construct.parent,
        at: resolver.user_frame(construct.codeptr, now),
        created: resolver.stack(&construct.created, false, now),
    });
    Side {
        write: access.write,
        atomic: access.atomic,
        size: access.size,
        os_thread: access.os_thread,
        omp_thread: access.omp_thread,
        direct: resolver.is_direct(&access.stack, access.exact, now),
        text: stack.first().and_then(|frame| sources.line(frame)).map(str::to_owned),
        stack,
        construct,
        region,
        mutexes,
        since,
    }
}

/// The region whose body is on a stack, at its directive.
fn body(stack: &[Frame]) -> Option<Frame> {
    stack.iter().find_map(|frame| match frame.body_of {
        Some((ConstructKind::Parallel, line)) if line > 0 => Some(Frame { line, ..frame.clone() }),
        _ => None,
    })
}

fn variable(race: &Race, sides: &[Side; 2], resolver: &mut Resolver, tools: &mut Tools, now: u64) -> Variable {
    let location = race.location.clone().unwrap_or_default();
    let Location { kind, size, name, stack, is_accessors, .. } = location;
    let kind = if kind.is_empty() { "unknown".to_owned() } else { kind };
    let allocated = resolver.stack(&stack, false, now);
    let mut variable = Variable { kind, size, allocated, is_accessors, ..Variable::default() };
    let address = race.accesses.iter().map(|access| access.address.0).max().unwrap_or_default();
    let declared = match resolver.in_file(address, now) {
        Some((path, address)) => {
            let declared = tools.debug_info.global(path, address);
            variable.is_in_one_file = declared.is_some() && tools.debug_info.is_in_one_file(path, address);
            declared
        }
        None => None,
    };
    if let Some(declared) = declared {
        variable.kind = "global".to_owned();
        variable.name = Some(format!("{}{}", declared.name, declared.part));
        variable.size = declared.size;
        variable.declared = declared.file.filter(|_| declared.line > 0).map(|file| (file, declared.line));
        return variable;
    }
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        variable.name = Some(symbols::author(&name));
        return variable;
    }
    by_source(&mut variable, race, sides, resolver, tools, now);
    variable
}

/// Names memory by the target of the write's line. The other line must have the same name, or the variable the access's size:
/// compilers give reads that they move another line.
fn by_source(
    variable: &mut Variable,
    race: &Race,
    sides: &[Side; 2],
    resolver: &Resolver,
    tools: &mut Tools,
    now: u64,
) {
    let [one, two] = sides;
    for (access, side, other) in [(&race.accesses[0], one, two), (&race.accesses[1], two, one)] {
        let Some(assignment) = side.assignment() else { continue };
        let pc = access.stack.first().copied().unwrap_or_default();
        let declared = match resolver.in_file(pc.0.saturating_sub(1), now) {
            Some((path, address)) => tools.debug_info.local(path, address, &assignment.variable),
            None => None,
        };
        let scalar = assignment.target == assignment.variable;
        if !may_be(&variable.kind, scalar, declared.as_ref().map(|declared| declared.size), side.size) {
            continue;
        }
        let whole = scalar && declared.as_ref().is_some_and(|declared| declared.size == side.size);
        let same = match (other.assignment(), other.text.as_deref()) {
            (Some(other), _) => other.variable == assignment.variable,
            (None, Some(text)) => source::identifiers(text).any(|name| name == assignment.variable),
            (None, None) => false,
        };
        if !same && !whole {
            continue;
        }
        variable.name = Some(assignment.target);
        variable.by_source = true;
        if let Some(declared) = declared.as_ref().filter(|_| scalar && variable.size == 0) {
            variable.size = declared.size;
        }
        variable.declared = declared.and_then(|declared| Some((declared.file?, declared.line)));
        return;
    }
}

/// True if an expression may be in this kind of memory: a local variable on a stack, a part of something in a block. Compilers give
/// writes that they move another line. `declared`: size of the variable, if it is a local one.
fn may_be(kind: &str, scalar: bool, declared: Option<u64>, access: u64) -> bool {
    match (kind, scalar, declared) {
        // A local array, not a pointer to one.
        ("stack", false, Some(size)) => size > access && size > 8,
        ("stack", false, None) => false,
        // In a method, a member of the object appears under its plain name.
        ("heap", true, declared) => declared.is_none(),
        _ => true,
    }
}
