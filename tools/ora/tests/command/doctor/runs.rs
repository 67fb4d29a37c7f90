//! Findings of `ora doctor --run` about real runs.

use super::harness::{Answer, Folder, doctor};

fn role<'a>(answer: &'a Answer, role: &str) -> Vec<&'a serde_json::Value> {
    answer.json["run"]["bindings"].as_array().unwrap().iter().filter(|binding| binding["role"] == role).collect()
}

#[test]
fn a_run_is_counted_and_its_bindings_are_told() {
    let folder = Folder::new();
    let answer = Answer::run(&folder.region(), &["7"]);
    answer.expect("seen", &[]);
    assert_eq!(answer.stdout, "2\n");
    let run = &answer.json["run"];
    assert_eq!((&run["exit_code"], &run["signal"], &run["regions"]), (&7.into(), &().into(), &1.into()));
    let to_library = role(&answer, "to_library");
    assert_eq!(to_library.len(), 1, "{run:#}");
    assert!(to_library[0]["functions"].as_array().unwrap().contains(&"GOMP_parallel".into()));
    let real = role(&answer, "to_runtime");
    assert!(real.iter().any(|binding| binding["provider"].as_str().unwrap().contains("libgomp")), "{run:#}");
    assert!(role(&answer, "past").is_empty());
}

#[test]
fn a_private_libgomp_is_reported() {
    let folder = Folder::new();
    let opener = folder.compile("opener", "opener", &[]);
    let library = folder.compile("part", "libpart.so", &["-shared", "-fPIC", "-fopenmp"]);
    let answer = Answer::run(&opener, &[library.to_str().unwrap()]);
    answer.expect("seen", &[]);
    assert_eq!((answer.stdout.as_str(), answer.runtimes()), ("2\n", vec![("libgomp", "reported")]));
    assert_eq!(answer.json["run"]["regions"], 1);
    // Opened in such a way that the call doesn't reach us.
    Answer::run(&opener, &[library.to_str().unwrap(), "deep"]).expect("not_seen", &["bypassed", "no_region"]);
}

#[test]
fn deepbind_goes_past_the_library() {
    let folder = Folder::new();
    let opener = folder.compile("opener", "opener", &["-Wl,--no-as-needed", "-lgomp"]);
    let library = folder.compile("part", "libpart.so", &["-shared", "-fPIC", "-fopenmp"]);
    let answer = Answer::run(&opener, &[library.to_str().unwrap(), "deep"]);
    assert!(answer.reasons().contains(&"bypassed"), "{:#}", answer.json);
    assert_eq!((answer.code, role(&answer, "past").len()), (Some(1), 1));
    // Without it everything is fine.
    Answer::run(&opener, &[library.to_str().unwrap(), "plain"]).expect("seen", &[]);
}

#[test]
fn a_run_without_openmp_says_so() {
    let folder = Folder::new();
    Answer::run(&folder.compile("plain", "plain", &[]), &[]).expect("not_seen", &["no_openmp"]);
    let idle = folder.compile("plain", "idle", &["-Wl,--no-as-needed", "-lgomp"]);
    Answer::run(&idle, &[]).expect("unknown", &["no_region"]);
}

#[test]
fn the_report_of_a_run_leaves_stdout_alone() {
    let folder = Folder::new();
    let output = doctor(&["--run", "--"]).arg(folder.region()).arg("3").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2\n");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("its OpenMP was seen") && text.contains("exit code 3"), "{text}");
    assert_eq!(output.status.code(), Some(0));
    let missing = doctor(&["--run", "--", "./no-such-program"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_static_program_runs_and_the_reason_stays() {
    let folder = Folder::new();
    let answer = Answer::run(&folder.compile("region", "static", &["-fopenmp", "-static"]), &["4"]);
    answer.expect("not_seen", &["static_program"]);
    assert_eq!(
        (&answer.json["run"]["exit_code"], &answer.json["run"]["collector_started"]),
        (&4.into(), &false.into())
    );
}
