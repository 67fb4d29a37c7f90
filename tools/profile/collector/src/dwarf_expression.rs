//! Addresses that the rules give as expressions (DWARF 5, section 2.5): in functions that align their stack, in entries of the
//! procedure linkage table, and in signal frames.

use gimli::{
    Encoding, EndianSlice, Evaluation, EvaluationResult, EvaluationStorage, Expression, NativeEndian, Piece, Value,
};

use crate::memory::Memory;
use crate::registers::Registers;

type Bytes<'a> = EndianSlice<'a, NativeEndian>;

/// Fixed storage of an evaluation, so that nothing is allocated: a few values, no calls.
#[derive(Debug)]
struct Storage;

impl<'a> EvaluationStorage<Bytes<'a>> for Storage {
    type Stack = [Value; 16];
    type ExpressionStack = [(Bytes<'a>, Bytes<'a>); 0];
    type Result = [Piece<Bytes<'a>>; 1];
}

/// Limit of an evaluation's steps: more than any rule needs.
const STEPS: u32 = 100;

/// Evaluates an expression to an address. `frame`: the canonical frame address, where it is known.
pub(crate) fn value(
    expression: Expression<Bytes<'_>>,
    encoding: Encoding,
    registers: &Registers,
    frame: Option<u64>,
    memory: &mut Memory,
) -> Option<u64> {
    let mut evaluation = Evaluation::<Bytes<'_>, Storage>::new_in(expression.0, encoding);
    evaluation.set_max_iterations(STEPS);
    if let Some(frame) = frame {
        evaluation.set_initial_value(frame);
    }
    let mut result = evaluation.evaluate().ok()?;
    loop {
        result = match result {
            EvaluationResult::Complete => break,
            EvaluationResult::RequiresRegister { register, .. } => {
                let value = Value::Generic(registers.get(register.0)?);
                evaluation.resume_with_register(value).ok()?
            }
            EvaluationResult::RequiresMemory { address, size: 8, space: None, .. } => {
                let value = Value::Generic(memory.read(address)?);
                evaluation.resume_with_memory(value).ok()?
            }
            _ => return None,
        };
    }
    match evaluation.as_result() {
        [Piece { location: gimli::Location::Address { address }, .. }] => Some(*address),
        _ => None,
    }
}
