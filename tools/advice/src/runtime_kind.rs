//! Kinds of runtimes: which variables of the environment they read, and whether their programs have directives.

use serde::{Deserialize, Serialize};

/// Kind of the runtime that executes most of the regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuntimeKind {
    /// GNU libgomp.
    #[default]
    Gnu,
    /// LLVM's libomp or Intel's libiomp5.
    Llvm,
    /// A runtime of the program's own, which reports itself (`ora_embed.h`).
    Own,
    /// A runtime for OpenMP's directives that was not seen itself: only the calls of OPARI's instrumentation were.
    Unseen,
}

impl RuntimeKind {
    /// Kind of a runtime by the first part of its file's name, such as `libgomp`. `None` if it isn't a runtime of OpenMP.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "libgomp" => Some(Self::Gnu),
            "libomp" | "libiomp5" => Some(Self::Llvm),
            _ => None,
        }
    }

    /// True if the runtime reads OpenMP's variables.
    pub fn reads_settings(self) -> bool {
        self.reads("OMP_NUM_THREADS")
    }

    /// True if the runtime reads this variable.
    pub(crate) fn reads(self, variable: &str) -> bool {
        let own_prefix = match self {
            Self::Gnu => "GOMP_",
            Self::Llvm => "KMP_",
            Self::Own | Self::Unseen => return false,
        };
        variable.starts_with("OMP_") || variable.starts_with(own_prefix)
    }

    /// Remark about a setting that a remedy proposes: the setting, or who else can make it.
    pub(crate) fn by(self, setting: &str) -> String {
        match self {
            Self::Gnu | Self::Llvm => format!("({setting})"),
            Self::Own => "(in the program's own runtime)".to_owned(),
            Self::Unseen => "(by a setting of the runtime, which was not seen)".to_owned(),
        }
    }

    /// Remark that mentions constructs and clauses of OpenMP; empty if the program doesn't have any.
    pub(crate) fn directives(self, remark: &'static str) -> &'static str {
        if self == Self::Own { "" } else { remark }
    }

    /// Clause for findings where one run doesn't show whether a setting of the environment helps.
    pub(crate) fn measure(self) -> &'static str {
        if self.reads_settings() { "; `ora tune` measures it" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runtime_reads_its_own_variables_and_those_of_openmp() {
        let reads = |kind: RuntimeKind| ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"].map(|it| kind.reads(it));
        assert_eq!(reads(RuntimeKind::Gnu), [true, true, false]);
        assert_eq!(reads(RuntimeKind::Llvm), [true, false, true]);
        assert_eq!([reads(RuntimeKind::Own), reads(RuntimeKind::Unseen)], [[false; 3]; 2]);
    }
}
