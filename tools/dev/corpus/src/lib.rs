//! Cases of `tools/advice/corpus`, and the decision whether a finding is the expected one.

mod case;
mod verdict;

pub use case::{Case, Command, Effect, Member, Target, all};
pub use verdict::{Verdict, has_cure};
