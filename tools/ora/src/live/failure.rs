//! Refusals as failures of the command.

use attach_outside::Refusal;

use crate::exit::Failure;

/// The process can't be attached to.
const REFUSED: u8 = 1;
/// The process doesn't exist.
pub(super) const NO_PROCESS: u8 = 2;

/// Failure with which `ora` exits.
pub(crate) fn failure(refusal: Refusal) -> Failure {
    let code = if matches!(refusal, Refusal::NoProcess(_) | Refusal::Thread { .. }) { NO_PROCESS } else { REFUSED };
    Failure { code, message: refusal.to_string() }
}
