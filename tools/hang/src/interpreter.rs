//! The lock of Python's interpreter (GIL), recognized by names of its functions. A thread that waits for it wakes up
//! every few milliseconds.

use crate::construct::ONLY;
use crate::model::{Frame, Held, Part, Resource, ResourceKind, Thread, Wait};

/// Functions that wait for it.
const WAITS: [&str; 5] =
    ["take_gil", "PyGILState_Ensure", "PyEval_RestoreThread", "PyEval_AcquireThread", "PyEval_AcquireLock"];
/// Functions that run the interpreter, which holds it.
const RUNS: [&str; 3] = ["_PyEval_EvalFrame", "PyEval_EvalCode", "_PyEval_Vector"];
/// Maximum number of frames around a wait in the C library that belong to it.
const DEPTH: usize = 6;

fn is_any(frame: &Frame, functions: &[&str]) -> bool {
    let exported = frame.export.iter().map(String::as_str);
    frame
        .names
        .iter()
        .map(|name| name.function.as_str())
        .chain(exported)
        .any(|name| functions.iter().any(|it| name.starts_with(it)))
}

fn lock() -> Resource {
    Resource { kind: ResourceKind::Interpreter, address: Some(ONLY), name: None, owner: None }
}

/// The outermost frame of a wait for it.
fn waiting_frame(thread: &Thread) -> Option<usize> {
    let begin = thread.program_frame()?;
    let mut near = thread.stack.iter().skip(begin).take(DEPTH);
    near.rposition(|frame| is_any(frame, &WAITS)).map(|at| begin + at)
}

/// The wait of a thread, if it is for the interpreter. The thread may be awake for a moment.
pub(crate) fn wait(thread: &Thread) -> Option<Wait> {
    waiting_frame(thread).map(|_| Wait::Mutex(lock()))
}

/// True for a wait for the interpreter.
pub(crate) fn is_awaited(wait: &Wait) -> bool {
    matches!(wait, Wait::Mutex(Resource { kind: ResourceKind::Interpreter, .. }))
}

/// The frame of the code that requests the interpreter.
pub(crate) fn caller(thread: &Thread) -> Option<usize> {
    let inner = waiting_frame(thread)? + 1;
    thread.stack.iter().skip(inner).position(|frame| frame.part == Part::Program).map(|at| at + inner)
}

/// The interpreter's lock, if a thread may hold it: it runs Python, and does not wait for it. It may have released it.
pub(crate) fn held(thread: &Thread) -> Option<Held> {
    let frame = thread.stack.iter().position(|frame| is_any(frame, &RUNS))?;
    (!is_awaited(&thread.wait)).then(|| Held { resource: lock(), frame, call: None, function: None, is_certain: true })
}
