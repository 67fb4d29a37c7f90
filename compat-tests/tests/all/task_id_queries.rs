//! Tasks that query their own ids, without tools and with all of them.

use compat_tests::forge::Forge;
use compat_tests::run::Launch;
use compat_tests::watch::Watch;

#[test]
fn tasks_of_all_sizes_know_who_they_are() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let path = forge.program("asking_tasks.c");
    for watch in [Watch::Tracking, Watch::Armed] {
        for policy in ["passive", "active"] {
            let launch = Launch::of(&forge, &path).env("OMP_WAIT_POLICY", policy);
            let outcome = watch.over(&forge, launch).run().succeeded();
            assert_eq!(outcome.text(), "", "{watch:?}, {policy}");
        }
    }
}
