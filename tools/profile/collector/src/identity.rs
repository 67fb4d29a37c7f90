//! Identity of the process, written at the start of the file. Async-signal-safe: system calls.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

use ora_client::Client;
use profile_format::{Record, info};

use crate::file::FILE;
use crate::system::{self, Descriptor};
use crate::text::Text;
use crate::{client, clock, modules, setting};

/// True if the file says that the process has a runtime of its own.
static HAS_OWN_RUNTIME: AtomicBool = AtomicBool::new(false);
/// The answer to START; -1 without a library to answer.
static ANSWER: AtomicI64 = AtomicI64::new(-1);
static BEGAN: AtomicU64 = AtomicU64::new(0);
static BEGAN_REAL: AtomicU64 = AtomicU64::new(0);
/// CPU time of the process before; 0: nothing of a new program's.
static START_UP: AtomicU64 = AtomicU64::new(0);

/// Records the time at which the process begins, as a new program.
pub(crate) fn begin_with_program() {
    begin_now();
    START_UP.store(system::process_cpu_ns(), Relaxed);
}

/// Records the time at which the process starts.
pub(crate) fn begin_now() {
    START_UP.store(0, Relaxed);
    BEGAN.store(system::monotonic_ns(), Relaxed);
    BEGAN_REAL.store(system::real_ns(), Relaxed);
}

/// Records the answer to START.
pub(crate) fn answered(answer: Option<i32>) {
    ANSWER.store(answer.map_or(-1, i64::from), Relaxed);
}

/// Writes, once for each file, that the process has a runtime of its own.
pub(crate) fn meet_own_runtime() {
    if !HAS_OWN_RUNTIME.load(Relaxed) && !HAS_OWN_RUNTIME.swap(true, Relaxed) {
        FILE.write(Record::Info { key: info::RUNTIME, value: info::OWN_RUNTIME });
    }
}

/// Writes all facts about the process. `text` is room for them.
pub(crate) fn write(text: &mut Text<4096>) {
    HAS_OWN_RUNTIME.store(false, Relaxed);
    let Some(setting) = setting::get() else { return };
    text.cut(0).fill(|into| Descriptor::read_only(c"/proc/thread-self/cmdline").map_or(0, |file| file.read(into)));
    say(info::COMMAND, text);
    for (key, link) in [(info::EXECUTABLE, c"/proc/thread-self/exe"), (info::FOLDER, c"/proc/thread-self/cwd")] {
        say(key, text.cut(0).fill(|into| system::read_link(link, into)));
    }
    text.cut(0).fill(|into| Descriptor::read_only(c"/proc/sys/kernel/hostname").map_or(0, |file| file.read(into)));
    FILE.write(Record::Info { key: info::HOST, value: text.bytes().trim_ascii_end() });
    if !setting.rank.bytes().is_empty() {
        FILE.write(Record::Info { key: info::RANK, value: setting.rank.bytes() });
        FILE.write(Record::Info { key: info::RANKS, value: setting.ranks.bytes() });
    }
    for (key, value) in [(info::QUOTA, setting.quota.bytes()), (info::ENVIRONMENT, setting.openmp.bytes())] {
        if !value.is_empty() {
            FILE.write(Record::Info { key, value });
        }
    }
    FILE.write(Record::Info { key: info::CLOCK, value: b"cpu" });
    FILE.write(Record::Info { key: info::TIMER, value: clock::kind() });
    for (key, number) in [
        (info::PID, system::process().unsigned_abs().into()),
        (info::PARENT, system::parent().unsigned_abs().into()),
        (info::RATE, setting.rate),
        (info::PROCESSORS, system::processors()),
        (info::SIGNAL, setting.signal.unsigned_abs().into()),
        (info::BEGAN, BEGAN.load(Relaxed)),
        (info::BEGAN_REAL, BEGAN_REAL.load(Relaxed)),
        (info::START_UP, START_UP.load(Relaxed)),
    ] {
        say(key, text.cut(0).number(number));
    }
    text.cut(0);
    match u64::try_from(ANSWER.load(Relaxed)) {
        Ok(answer) => text.number(answer),
        Err(_) => text.push(b"none"),
    };
    say(info::SESSION, text);
    write_own(text);
}

fn say(key: &[u8], value: &Text<4096>) {
    FILE.write(Record::Info { key, value: value.bytes() });
}

/// Writes the paths of the profiler's own library and of the library that answers requests.
fn write_own(text: &mut Text<4096>) {
    text.cut(0);
    let list = modules::list();
    for address in [write_own as *const () as u64, client::get().map_or(0, Client::address)] {
        if let Some(path) = list.path(address) {
            text.push(path).push(&[0]);
        }
    }
    say(info::OWN, text);
}
