//! CPython's frames in the user view. There are twenty of them between two Python functions, where they are of no
//! interest. If no Python function is known, one name replaces them.

use super::frames::Frame;
use super::step::Step;
use crate::input::Kind;

/// Name in place of the interpreter's frames, if the Python functions that it runs are not known.
pub const PYTHON: &str = "<Python>";

/// Calls of a stack, the leaf last. Frames of the interpreter, with the system's between them, are replaced by the
/// Python function that they run or call, or by one [`PYTHON`].
pub(super) fn fold(frames: &[&Frame], era: u32) -> Vec<Step> {
    let is = |frame: Option<&&Frame>, kind| frame.is_some_and(|frame| frame.kind == kind);
    let mut steps = Vec::with_capacity(frames.len());
    let mut at = 0;
    while let Some(frame) = frames.get(at) {
        if frame.kind != Kind::Interpreter {
            steps.push(frame.step(era));
            at += 1;
            continue;
        }
        let rest = frames.get(at..).unwrap_or_default();
        let run = rest.iter().take_while(|frame| matches!(frame.kind, Kind::Interpreter | Kind::System)).count();
        let last = rest.get(..run).unwrap_or_default().iter().rposition(|frame| frame.kind == Kind::Interpreter);
        let end = at + last.unwrap_or(0) + 1;
        let below = at.checked_sub(1).and_then(|below| frames.get(below));
        if !is(below, Kind::Python) && !is(frames.get(end), Kind::Python) {
            steps.push(Step::Pseudo(PYTHON));
        }
        at = end;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folds a stack of letters: `i` for the interpreter, `p` for a Python function, `s` for the system. The leaf
    /// comes last.
    fn folded(letters: &str) -> String {
        let kind = |letter| match letter {
            'i' => Kind::Interpreter,
            'p' => Kind::Python,
            's' => Kind::System,
            _ => Kind::Program,
        };
        let frames: Vec<Frame> =
            letters.chars().map(|c| Frame { address: c as u64, returns: true, kind: kind(c) }).collect();
        let letter = |step: &Step| match step {
            Step::Code { address, .. } => char::from_u32(u32::try_from(*address).unwrap()).unwrap(),
            Step::Pseudo(_) => '*',
        };
        fold(&frames.iter().collect::<Vec<_>>(), 0).iter().map(letter).collect()
    }

    #[test]
    fn the_interpreter_is_one_frame_or_its_functions() {
        for (frames, expected) in [
            ("issiiA", "*A"),
            ("issiipiipA", "ppA"),
            ("issiipii", "p"),
            ("ipiss", "pss"),
            ("isAiiB", "*sA*B"),
            ("iApB", "*ApB"),
            ("ssAB", "ssAB"),
            ("", ""),
        ] {
            assert_eq!(folded(frames), expected, "{frames}");
        }
    }
}
