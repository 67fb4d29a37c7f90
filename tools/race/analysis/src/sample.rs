//! Findings for tests: a racy sum, and a task that is not waited for.

use race_format::{Address, Process};
use symbols::ConstructKind;

use crate::cause::Explained;
use crate::finding::{Construct, Finding, Mutex, Region, Side, Variable};
use crate::frames::Frame;
use crate::outcome::{OneRun, Outcome};
use crate::plan::Plan;
use crate::recorded::Program;
use crate::run::Ending;
use crate::source::Sources;

fn frame(function: &str, line: u32) -> Frame {
    let file = Some("/home/user/project with a long name/src/heat.c".to_owned());
    Frame { function: function.to_owned(), file, line, object: "heat".to_owned(), ..Frame::default() }
}

fn side(write: bool, line: u32, text: &str) -> Side {
    let body = Frame { body_of: Some((ConstructKind::Parallel, 5)), ..frame("add_up_all_the_cells_of_the_grid", line) };
    let region = Region { at: Some(frame("add_up_all_the_cells_of_the_grid", 5)), id: 1, team: 4 };
    Side {
        write,
        direct: true,
        size: 8,
        omp_thread: Some(u32::from(write)),
        stack: vec![body],
        text: Some(text.to_owned()),
        region: Some(region),
        ..Side::default()
    }
}

fn finding(sides: [Side; 2], variable: Variable) -> Finding {
    Finding {
        sure: true,
        why_possible: None,
        sides,
        variable,
        times: 12,
        runs: [1, 2].into(),
        pids: [77].into(),
        teams: [2, 4].into(),
    }
}

/// `sum += cell`, and a task whose result is read too early; the second one is only a possible race.
fn findings() -> Vec<Finding> {
    let sum = Variable {
        kind: "stack".to_owned(),
        name: Some("sum".to_owned()),
        by_source: true,
        declared: Some(("heat.c".to_owned(), 4)),
        ..Variable::default()
    };
    let of_sum =
        finding([side(true, 7, "sum += cell[i] * weight[i];"), side(false, 7, "sum += cell[i] * weight[i];")], sum);
    let created = vec![frame("main", 30)];
    let task = Construct { kind: "task".to_owned(), id: 9, parent: 5, created, ..Construct::default() };
    let writer = Side { construct: Some(task), ..side(true, 31, "result = work(n);") };
    let mutex = Mutex { kind: "lock".to_owned(), wait_id: Address(1), at: Some(frame("main", 33)) };
    let mut reader = side(false, 35, "printf(\"%d\\n\", result);");
    reader.stack = vec![frame("main", 35)];
    reader.construct = Some(Construct { kind: "implicit task".to_owned(), id: 5, ..Construct::default() });
    let heap =
        Variable { kind: "heap".to_owned(), size: 400, allocated: vec![frame("make", 3)], ..Variable::default() };
    let mut of_task = finding([writer, reader], heap);
    (of_task.sure, of_task.why_possible) = (false, Some("same thread, by number".to_owned()));
    of_task.sides[1].mutexes.clear();
    let locked = Side { mutexes: vec![mutex], ..of_sum.sides[0].clone() };
    let of_lock = finding([locked, side(true, 20, "sum += y;")], of_sum.variable.clone());
    vec![of_sum, of_lock, of_task]
}

/// Two runs that found them.
pub(crate) fn outcome() -> Outcome {
    let run = |seed, threads| {
        let process = Process { pid: 77, runtime: "GNU libgomp".to_owned(), threads_max: 4, ..Process::default() };
        let program = Program { process, ..Program::default() };
        OneRun { plan: Plan { threads, seed }, ending: Ending::Code(0), logged: false, programs: vec![program] }
    };
    let explained = |finding| Explained::new(finding, &mut Sources::default());
    let mut findings: Vec<Explained> = findings().into_iter().map(explained).collect();
    // Advice that would come from the source, which does not exist here.
    findings[0].likely.insert(0, "`reduction(+:sum)`".to_owned());
    Outcome { findings, runs: vec![run(1, None), run(2, Some(2))], ..Outcome::default() }
}
