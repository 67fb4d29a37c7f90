//! Warnings for a collector's user, on stderr, when its session starts: the collector itself can't detect the problem.

use ompt_core::v5;
use system::warning::Warning;

/// Warns that `OMP_TOOL` keeps a runtime from asking for a tool, which is this library's only access to that runtime.
pub(crate) fn of_silence() {
    static SILENT: Warning = Warning::new();
    if v5::has_silenced_foreign_runtime() {
        SILENT.say(&[
            b"ora: OMP_TOOL=disabled keeps this program's OpenMP runtime (LLVM's or Intel's) from reporting events: \
             unset it\n",
        ]);
    }
}
