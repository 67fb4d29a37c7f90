//! Reason why there is nothing to examine.

/// States why there is nothing to examine, and the next step.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);
