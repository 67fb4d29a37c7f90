//! What a collector's user is told on stderr when its session starts, since the collector itself can't know.

use ompt_core::v5;
use system::warning::Warning;

/// A runtime that asks for a tool is our way in on that runtime: where `OMP_TOOL` forbids it to ask, nothing of it is seen.
pub(crate) fn of_silence() {
    static SILENT: Warning = Warning::new();
    if v5::has_silenced_rival() {
        SILENT.say(&[
            b"ora: OMP_TOOL=disabled keeps this program's OpenMP runtime (LLVM's or Intel's) from telling anything: unset it\n",
        ]);
    }
}
