//! Task kernels that `tools/dev/bench` measures: under every kind of observation they compute the results of the serial programs.

use compat_tests::forge::{Forge, Language};
use compat_tests::run::Launch;
use compat_tests::watch::Watch;

/// The kernels, each with a small size.
const KERNELS: [(&str, &str); 10] = [
    ("fft", "1"),
    ("health", "3"),
    ("uts", "5"),
    ("alignment", "16"),
    ("sparselu", "10"),
    ("fib", "26"),
    ("floorplan", "10"),
    ("nqueens", "11"),
    ("sort", "30000"),
    ("strassen", "64"),
];

#[test]
#[ignore = "slow: --all runs it"]
fn every_kernel_finds_what_its_serial_program_finds() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for (kernel, size) in KERNELS {
        let build = |flags: &[&str]| {
            let source = format!("../tools/dev/bench/programs/kernels/{kernel}.c");
            forge.link(Language::C11, &[&source], &[&["-O2"], flags].concat(), &["-lm".as_ref()], "")
        };
        let launch = |program, threads: u32| Launch::of(&forge, program).arg(size).arg(&threads.to_string());
        let serial = build(&["-Wno-unknown-pragmas"]);
        let (none, checksum) = found(&launch(&serial, 1).run().succeeded().stdout);
        assert_eq!(none, 0, "{kernel}: a serial program has no tasks");
        assert_ne!(checksum, "0000000000000000", "{kernel} finds its own result wrong");
        for program in &[build(&["-fopenmp"]), build(&["-fopenmp", "-DUNTIED"])] {
            for threads in [1, 3] {
                let check = |said: &[u8], how: &str| {
                    let (tasks, result) = found(said);
                    assert!(tasks > 0, "{kernel} on {threads} threads, {how}: no tasks");
                    assert_eq!(result, checksum, "{kernel} on {threads} threads, {how}");
                };
                check(&launch(program, threads).run().succeeded().stdout, "bare");
                for watch in [Watch::LevelZero, Watch::Tracking, Watch::Armed] {
                    let launch = launch(program, threads).env("OMP_WAIT_POLICY", "passive");
                    check(&watch.over(&forge, launch).run().succeeded().stdout, &format!("{watch:?}"));
                }
            }
        }
    }
}

/// Tasks and checksum.
fn found(said: &[u8]) -> (u64, String) {
    let text = String::from_utf8_lossy(said);
    let mut words = text.split_whitespace().skip(2);
    let tasks = words.next().and_then(|word| word.parse().ok()).expect("how many tasks");
    (tasks, words.next().expect("a checksum").to_owned())
}
