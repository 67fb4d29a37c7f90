//! Unfinished predecessors of a new task: for gcc's programs on libgomp they are those that LLVM's runtime reports for clang's.

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::clang_is_here;
use compat_tests::run::Launch;

/// Expected pairs of tasks in each part of the program, by its construction.
const PAIRS: &str = "readers 1>2 1>3 2>4 3>4 4>5
sets 1>2 1>3 2>4 3>4 4>5 5>6
variables 1>3 2>3 3>4 4>5 5>6
children 1>2 3>4
complete
objects 1>3 2>3 3>4
iterators 1>2 1>3 2>3
detached 1>2
waits 1>w
many
";
const SOURCE: [&str; 1] = ["programs/predecessors.c"];
const FLAGS: [&str; 5] = ["-O2", "-g", "-fopenmp", "-pthread", "-rdynamic"];

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn on_libgomp_pairs_are_those_of_the_programs_dependences() {
    let forge = forge();
    let program = forge.build(Language::C11, &SOURCE, &FLAGS, "");
    let outcome = Launch::of(&forge, &program).with_ora().run().succeeded();
    // "Sometimes": tasks of target constructs, for example, are created inside libgomp.
    assert_eq!(outcome.text(), format!("answer 3\n{PAIRS}"), "{}", outcome.describe());
}

#[test]
fn on_llvms_runtime_pairs_are_the_same() {
    if !clang_is_here("on_llvms_runtime_pairs_are_the_same") {
        return;
    }
    let forge = forge();
    let program = forge.build(Language::ClangC11, &SOURCE, &FLAGS, "");
    for launch in [Launch::of(&forge, &program), Launch::of(&forge, &program).with_ora()] {
        let outcome = launch.awake().run().succeeded();
        assert_eq!(outcome.text(), format!("answer 5\n{PAIRS}"), "{}", outcome.describe());
    }
}
