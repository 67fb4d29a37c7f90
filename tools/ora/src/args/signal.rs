//! Names of signals, as in `--signal`.

use std::ffi::c_int;

/// Signal with which a program may be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen(pub(crate) c_int);

/// Returns the signal of this name (PROF, SIGPROF) or number.
///
/// # Errors
/// If there is no such signal, or no program can do without it.
pub(crate) fn chosen(text: &str) -> Result<Chosen, String> {
    const NAMES: [(&str, c_int); 9] = [
        ("PROF", libc::SIGPROF),
        ("USR1", libc::SIGUSR1),
        ("USR2", libc::SIGUSR2),
        ("ALRM", libc::SIGALRM),
        ("VTALRM", libc::SIGVTALRM),
        ("URG", libc::SIGURG),
        ("IO", libc::SIGIO),
        ("PWR", libc::SIGPWR),
        ("TRAP", libc::SIGTRAP),
    ];
    let name = text.to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    let known = NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, number)| number);
    let free = |number: &c_int| NAMES.iter().any(|(_, known)| known == number) || (34..=64).contains(number);
    known
        .or_else(|| text.parse().ok().filter(free))
        .map(Chosen)
        .ok_or_else(|| "PROF, USR1, USR2, ALRM, VTALRM, URG, IO, PWR, TRAP, or a number from 34 to 64".to_owned())
}
