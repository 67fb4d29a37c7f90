//! Explanations of missing data: reasons why less is seen than a user may expect, and the next step.

use crate::identity::{End, Identity};
use crate::stat::snapshot::{Process, Run};

const START_UNSUPPORTED: u32 = 3;
const START_SEQUENCE_ERR: u32 = 4;

/// Text for a program in which the collector never ran. `why`: the reason and the remedy, where they are certain.
pub fn not_seen(why: Option<&(String, String)>) -> String {
    match why {
        Some((what, todo)) => format!("nothing was seen: {what}. What to do: {todo}"),
        None => NOT_SEEN.to_owned(),
    }
}

const NOT_SEEN: &str = "the collector did not start in this program: `ora doctor -- PROGRAM` says why. Is it linked statically (`file PROGRAM`), \
    for another kind of machine, set-uid, short of memory (`ulimit -v`), or started with LD_PRELOAD taken out of its environment? One with \
    AddressSanitizer also needs `LD_PRELOAD=$(gcc -print-file-name=libasan.so) ora stat ...`";

/// Text for a runtime that can raise no event.
pub const SILENCED: &str = "it is LLVM's or Intel's, and has not asked for its tool, which is how it is seen: is \
    OMP_TOOL=disabled set? `ora doctor --run -- PROGRAM` says";

/// Text for executed programs that can't be watched.
pub fn unwatched(programs: u32) -> Option<String> {
    let subject = match programs {
        0 => return None,
        1 => "1 program that it executed could not be watched, so nothing is known of it".to_owned(),
        more => format!("{more} programs that it executed could not be watched, so nothing is known of them"),
    };
    Some(format!(
        "{subject}: another root or container without ora's files, a cleaned environment (`env -i`), another C library or machine, or a \
         static program"
    ))
}

/// Text for a process that has started others, none of which is known to have used OpenMP.
const LAUNCHER: &str = "no OpenMP was seen in it, nor in what it started. What runs in a sandbox that closes descriptors (firejail) can't be \
    seen from outside: start `ora` inside, as in `firejail ora stat -- PROGRAM`";

/// Lines about one process that did not show any OpenMP, or not all. `others`: processes below it did.
pub fn about(process: &Process, others: bool, run: Option<&Run>) -> Vec<String> {
    let [programs_unwatched, without_openmp] = run.map_or([0, 0], |run| [run.unwatched as usize, run.without_openmp]);
    let mut lines: Vec<String> = session(&process.who).into_iter().collect();
    if process.who.session == Some(0) && !process.used_openmp() {
        lines.push(if others {
            "it used no OpenMP itself".to_owned()
        } else if programs_unwatched > 0 {
            "no OpenMP was seen in it".to_owned()
        } else if process.who.runtimes == 0 && without_openmp > 0 {
            LAUNCHER.to_owned()
        } else {
            unseen(process).to_owned()
        });
    } else if !process.who.refused.is_empty() {
        let events = process.who.refused.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        lines.push(format!(
            "not reported on this runtime (events {events} of the interface): their times are part of work"
        ));
    }
    lines.extend(run.and_then(|run| unwatched(run.unwatched)));
    if process.who.end == End::Running {
        lines.push("this process is still running: the table shows it up to now".to_owned());
    }
    lines
}

/// Reason why the collector had no session.
pub fn session(who: &Identity) -> Option<String> {
    Some(match who.session {
        Some(0) => return None,
        None => "libora.so was not loaded: was LD_PRELOAD changed on the way?".to_owned(),
        Some(START_UNSUPPORTED) => {
            "the library refused to start: is ORA_DISABLE=1 set? Unset it and run again".to_owned()
        }
        Some(START_SEQUENCE_ERR) => {
            "another collector has the session, of which there is one at a time: remove it from LD_PRELOAD, or from \
             the program, and run again"
                .to_owned()
        }
        Some(other) => format!("the library refused to start: error code {other}"),
    })
}

fn unseen(process: &Process) -> &'static str {
    if process.who.runtimes == 0 && process.who.end == End::Silent {
        "no OpenMP runtime was loaded when the program began, and its end was not seen: whether one was loaded later (dlopen), perhaps past \
         libora.so, is not known: `ora doctor --run -- PROGRAM` says"
    } else if process.who.runtimes == 0 {
        "no OpenMP runtime was loaded. Is the program compiled and linked with -fopenmp (`ldd PROGRAM` then shows \
         libgomp)? A libgomp that is linked statically can't be seen, nor what runs in a sandbox that closes descriptors and \
         hides /proc: `ora doctor -- PROGRAM` says which"
    } else if process.is_silenced() {
        SILENCED
    } else if process.who.has_namespaces {
        "no parallel region was seen. Libraries are loaded in a namespace of their own (dlmopen): what runs on the OpenMP runtime there \
         can't be seen. Load them with dlopen to watch it"
    } else {
        "no parallel region was seen. Either none was run, or its calls went past libora.so: `ora doctor --run -- PROGRAM` \
         says which"
    }
}
