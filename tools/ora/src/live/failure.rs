//! Refusals as failures of the command.

use attach_outside::Refusal;

use crate::exit::Failure;

/// It can't be attached to.
const REFUSED: u8 = 1;
/// There is no such process.
pub(super) const NO_PROCESS: u8 = 2;

/// The failure with which `ora` ends.
pub(crate) fn failure(refusal: Refusal) -> Failure {
    let code = if matches!(refusal, Refusal::NoProcess(_) | Refusal::Thread { .. }) { NO_PROCESS } else { REFUSED };
    Failure { code, message: refusal.to_string() }
}
