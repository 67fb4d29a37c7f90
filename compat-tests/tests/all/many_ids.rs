//! Ids of regions and tasks after 2^32 of them: they stay unique and are not truncated. The test sets the counters just below 2^32 by
//! writing to the library's own words, which its symbol table names.

use std::collections::BTreeSet;
use std::process::Command;

use compat_tests::forge::{Forge, Language};
use compat_tests::invariants::{self, Circumstances};
use compat_tests::library::libora;
use compat_tests::numbers::event;
use compat_tests::run::Launch;
use compat_tests::watch::Watch;

const LIMIT: u64 = 1 << 32;
/// Number of task ids that a thread takes at a time (`task.rs`).
const BLOCK: u64 = 256;

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Setting that puts both counters just below the limit.
fn just_below() -> String {
    let output = Command::new("nm").arg("-C").arg(libora()).output().expect("nm is there");
    let symbols = String::from_utf8_lossy(&output.stdout).into_owned();
    let offset = |name: &str| {
        let line = symbols.lines().find(|line| line.ends_with(&format!(" {name}")));
        line.and_then(|line| line.split_whitespace().next()).map(str::to_owned)
    };
    let [region, task] =
        ["region::parallel::LAST_ID", "task::LAST_BLOCK"].map(|name| offset(&format!("ompt_core::{name}")));
    let [region, task] = [region, task].map(|offset| offset.expect("the library has its symbols"));
    format!("{region}={:x},{task}={:x}", LIMIT - 7, LIMIT / BLOCK - 1)
}

fn far_on(forge: &Forge, launch: Launch) -> Launch {
    let advance = forge.build(Language::C11, &["collectors/advance.c"], &["-O2", "-shared", "-fPIC"], ".so");
    launch.with_preload(&advance).env("ADVANCE", &just_below())
}

#[test]
fn region_ids_pass_the_limit_whole_and_unique() {
    let forge = forge();
    for source in ["churn.c", "nested.c"] {
        let program = forge.program(source);
        let launch = || {
            let launch = Launch::of(&forge, &program).threads(4).with_ora();
            launch.with_collector(&forge.collector("padded.c"))
        };
        let usual = launch().run().succeeded();
        let outcome = far_on(&forge, launch()).run().succeeded();
        assert_eq!(outcome.stdout, usual.stdout, "{}", outcome.describe());
        let [usual, trace] = [usual.trace(), outcome.trace()];
        let mut wrong = invariants::violations(&trace, Circumstances::default());
        wrong.retain(|line| !line.starts_with("region ids are not dense from 1"));
        assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
        let forks = trace.events().filter(|e| e.event == event::FORK).map(|e| e.prid).collect::<Vec<_>>();
        assert_eq!(forks.len(), usual.count(event::FORK), "{}", outcome.describe());
        let ids: BTreeSet<u64> = forks.iter().copied().filter(|id| *id != 0).collect();
        let both = ids.first().is_some_and(|id| *id < LIMIT) && ids.last().is_some_and(|id| *id > LIMIT);
        assert!(both, "{ids:x?}: {}", outcome.describe());
    }
}

#[test]
fn programs_and_tools_go_on_past_the_limit() {
    let forge = forge();
    for source in ["churn.c", "tasks.c", "nested.c"] {
        let program = forge.program(source);
        let bare = Launch::of(&forge, &program).threads(4).run().succeeded();
        for watch in [Watch::Together, Watch::Storm] {
            let launch = far_on(&forge, watch.over(&forge, Launch::of(&forge, &program).threads(4)));
            let outcome = launch.run().succeeded();
            assert_eq!(outcome.stdout, bare.stdout, "{watch:?}: {}", outcome.describe());
        }
    }
}
