//! Programs instrumented by OPARI don't violate any rule, on any runtime adapter that reports their runtime.

use compat_tests::forge::Forge;
use compat_tests::pomp::{INSTRUMENTED, build, opari_is_here};
use compat_tests::run::Launch;

use crate::harness::goes_by_the_rules;

#[test]
fn instrumented_programs_break_no_rule() {
    if !opari_is_here("instrumented programs under the validator") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for source in ["pomp/constructs.c", "pomp/nested_tasks.c"] {
        for form in INSTRUMENTED {
            let program = build(&forge, source, form);
            goes_by_the_rules(|| Launch::of(&forge, &program).threads(4));
        }
    }
}
