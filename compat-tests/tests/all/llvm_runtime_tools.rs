//! Tools of OpenMP 5 that get their events through us, on runtimes with OMPT: each gets the events that it would get without us.

use compat_tests::forge::{Forge, Language};
use compat_tests::ompt5::{ToolTrace, marked_tool, named};
use compat_tests::run::{Launch, Outcome};
use compat_tests::stacks::{Compiler, INSTALLED, Stack};

/// Copies of the tool, by the marks of their traces.
const MARKS: [&str; 2] = [".one", ".two"];

/// Parts of `programs/ompt5.c` whose events are the same on each thread in each run, and parts in which they depend on chance.
const STEADY: [&str; 4] = ["locks", "critical", "region", "tasks"];
const BY_CHANCE: [&str; 4] = ["nested", "queued", "work", "ordered"];

/// All lines of a trace, sorted. Intel's runtime may take more workers than an inner team needs, and loses a member's number if the team
/// ends soon.
fn totals(reports: &ToolTrace) -> Vec<String> {
    let of_chance = |line: &&String| line.starts_with("thread_") && line.as_str() != "thread_begin t initial";
    let kept = |line: &String| match line.split_once(" index=") {
        Some((start, _)) if line.starts_with("implicit_task end") => start.to_owned(),
        _ => line.clone(),
    };
    reports.shapes().iter().filter(|line| !of_chance(line)).map(kept).collect()
}

/// Lines of each thread, without `codeptr_ra` if two threads are in critical regions: a thread that leaves such a region takes the address
/// that libomp keeps for its first thread (`__kmpc_end_critical`, LLVM 19), if one is stored at that moment.
fn by_thread(reports: &ToolTrace, part: &str) -> Vec<Vec<String>> {
    let mut threads = reports.by_thread();
    if part == "region" {
        for line in threads.iter_mut().flatten() {
            let kept = line.strip_suffix(" code").or(line.strip_suffix(" -")).unwrap_or(line).len();
            line.truncate(kept);
        }
    }
    threads
}

struct Stage {
    forge: Forge,
    stack: Stack,
}

impl Stage {
    fn launch(&self, part: &str) -> Launch {
        let program = self.stack.program(&self.forge, "ompt5.c").expect("both compilers can make it");
        self.stack.launch(&self.forge, &program).arg(part).with_trace()
    }

    /// Runs the program with one copy of the tool, which the environment names.
    fn one(&self, launch: Launch) -> Outcome {
        named(launch, &marked_tool(&self.forge, MARKS[0])).run().succeeded()
    }

    /// True if clang 19's dynamic loops call a function that the runtime, which is 16 or older, doesn't have.
    fn lacks_its_runtime(&self, part: &str) -> bool {
        let old = self.stack.compiler == Compiler::Clang && ["libomp-14", "libomp-16"].contains(&self.stack.runtime);
        let lacks = old && ["work", "ordered"].contains(&part);
        assert!(!lacks || !self.launch(part).run().status.success(), "{} {part} works", self.stack);
        lacks
    }

    /// Compares a copy's trace with the one without us.
    fn compare(&self, part: &str, alone: &Outcome, with_us: &Outcome, mark: &str) {
        let [wanted, reports] = [ToolTrace::of_marked(alone, MARKS[0]), ToolTrace::of_marked(with_us, mark)];
        assert!(wanted.all().len() > 5, "{}", alone.describe());
        let what = || format!("{} {part} {mark}: {}\n{}", self.stack, alone.command, with_us.describe());
        if STEADY.contains(&part) {
            assert_eq!(by_thread(&reports, part), by_thread(&wanted, part), "{}", what());
        } else {
            assert_eq!(totals(&reports), totals(&wanted), "{}", what());
        }
    }
}

fn tools_hear_the_same(compiler: Compiler, runtime: &'static str) {
    let Some(stack) = Stack::find((compiler, runtime), "tools_hear_the_same") else { return };
    let stage = Stage { forge: Forge::at(env!("CARGO_TARGET_TMPDIR")), stack };
    let (forge, packed) = (&stage.forge, stage.forge.collector("packed.c"));
    for part in STEADY.into_iter().chain(BY_CHANCE) {
        if stage.lacks_its_runtime(part) {
            continue;
        }
        let alone = stage.one(stage.launch(part));
        // The only tool: the runtime's events are passed through.
        stage.compare(part, &alone, &stage.one(stage.launch(part).with_ora()), MARKS[0]);
        // Together with a collector.
        let beside = stage.one(stage.launch(part).with_ora().with_collector(&packed));
        stage.compare(part, &alone, &beside, MARKS[0]);
        let is_silent = ["locks", "critical"].contains(&part);
        assert!(is_silent || beside.trace().events().count() > 0, "{}", beside.describe());
        // Two tools: one is preloaded, the other one is named in the environment.
        let two = stage.one(stage.launch(part).with_ora().with_preload(&marked_tool(forge, MARKS[1])));
        MARKS.iter().for_each(|mark| stage.compare(part, &alone, &two, mark));
    }
}

macro_rules! tools_hear_the_same_of {
    ($($name:ident: $compiler:ident, $runtime:expr;)*) => {
        $(#[test]
        fn $name() {
            tools_hear_the_same(Compiler::$compiler, $runtime);
        })*
    };
}

tools_hear_the_same_of! {
    clangs_programs_on_libomp: Clang, INSTALLED;
    gccs_programs_on_libomp: Gcc, INSTALLED;
    clangs_programs_on_libomp_16: Clang, "libomp-16";
    gccs_programs_on_libomp_16: Gcc, "libomp-16";
    clangs_programs_on_libomp_14: Clang, "libomp-14";
    gccs_programs_on_libomp_14: Gcc, "libomp-14";
    clangs_programs_on_libiomp5: Clang, "libiomp5";
    gccs_programs_on_libiomp5: Gcc, "libiomp5";
}

/// At the end of gcc's regions of one thread, LLVM's runtimes 16 and 19 and Intel's pass another region's word. Where teams end, they pass
/// a word in memory that another thread may have freed.
#[test]
fn the_word_of_a_region_is_at_its_end_what_the_tool_stored_at_its_begin() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-rdynamic"];
    let program = forge.build(Language::C11, &["programs/region_words.c"], &flags, "");
    let collector = forge.collector("packed.c");
    for runtime in [INSTALLED, "libomp-16", "libomp-14", "libiomp5"] {
        let Some(stack) = Stack::find((Compiler::Gcc, runtime), "the_word_of_a_region") else { continue };
        let outcome = stack.launch(&forge, &program).with_ora().with_collector(&collector).run().succeeded();
        assert_eq!(outcome.text(), "1801 begun, 1801 ended, 0 as others\n", "{}", outcome.describe());
    }
}
