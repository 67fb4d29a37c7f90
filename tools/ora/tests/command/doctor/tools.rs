//! OMPT tools before a run: which tools there are, who would ask them, and why one is not asked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use super::harness::{Answer, Folder, doctor, headers, tool5};
use crate::harness::ORA;
use crate::skips::skip;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Program with a region and a tool of OpenMP 5.
fn with_own_tool(folder: &Folder, to: &str, options: &[&str]) -> std::path::PathBuf {
    let (headers, tool) = (headers(), tool5());
    folder.compile("region", to, &[&["-fopenmp", &headers, &tool], options].concat())
}

fn ask(program: &Path, variables: &[(&str, &str)]) -> Answer {
    Answer::of(doctor(&[]).envs(variables.iter().copied()), program, &[])
}

#[test]
fn tools_are_told_in_the_order_in_which_they_are_asked() {
    let folder = Folder::new();
    let (five, two) = (folder.tool("tool5", "libfive.so", &[]), folder.tool("tool2", "libtwo.so", &[]));
    let [second, third] = ["second.so", "third.so"].map(|name| folder.tool("tool5", name, &[]));
    let list = format!("{}:{}", second.display(), third.display());
    let preload = format!("{}:{}", two.display(), five.display());
    let variables = [("LD_PRELOAD", preload.as_str()), ("OMP_TOOL_LIBRARIES", list.as_str())];
    let of_two = "tr2 libtwo.so preloaded asked";
    let first = |what: &str| format!("openmp_5 {what} asked");
    let next = |what: &str| format!("openmp_5 {what} asked_if_others_decline");
    let listed = [next("second.so omp_tool_libraries"), next("third.so omp_tool_libraries")];

    let answer = ask(&folder.region(), &variables);
    answer.expect("seen", &[]);
    assert_eq!(answer.tools(), [&[of_two.to_owned(), first("libfive.so preloaded")], &listed[..]].concat());

    // Its function comes before all others if it is exported, and after those of libraries otherwise.
    let exporting = ask(&with_own_tool(&folder, "own", &["-rdynamic"]), &variables);
    let own = [of_two.to_owned(), first("own executable"), next("libfive.so preloaded")];
    assert_eq!(exporting.tools(), [&own, &listed[..]].concat());
    let plain = ask(&with_own_tool(&folder, "own", &[]), &variables);
    let own = [of_two.to_owned(), first("libfive.so preloaded"), next("own executable")];
    assert_eq!(plain.tools(), [&own, &listed[..]].concat());

    let needed = format!("-L{}", folder.file("").display());
    let linked = folder.compile(
        "region",
        "linked",
        &["-fopenmp", "-Wl,--no-as-needed", &needed, "-lfive", "-Wl,-rpath,$ORIGIN"],
    );
    assert_eq!(ask(&linked, &[]).tools(), [first("libfive.so linked")]);
}

#[test]
fn what_run_would_load_is_examined() {
    let folder = Folder::new();
    let program = folder.region();
    let (five, two) = (folder.tool("tool5", "five.so", &[]), folder.tool("tool2", "two.so", &[]));
    let with = |tools: &[&str]| {
        let words: Vec<_> = tools.iter().flat_map(|tool| ["--tool", tool]).collect();
        Answer::of(doctor(&words).env("OMP_TOOL_LIBRARIES", ""), &program, &[])
    };
    let answer = with(&[text(&five), text(&two)]);
    answer.expect("seen", &[]);
    assert_eq!(answer.tools(), ["tr2 two.so preloaded asked", "openmp_5 five.so omp_tool_libraries asked"]);
    let refused = with(&[text(&five), text(&five)]);
    refused.expect("partly_seen", &["tool_unusable"]);
    assert!(refused.json["reasons"][0]["what"].as_str().unwrap().contains("named twice"));
    with(&["/no/such.so"]).expect("partly_seen", &["tool_unusable"]);
    // The text names everything that the JSON contains about tools.
    let output = doctor(&["--tool", text(&two), "--"]).arg(&program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("two.so (TR2, preloaded) would be called"), "{said}");
    assert!(said.contains("never           workshare_begin") && !said.contains("Callbacks of OpenMP 5"), "{said}");
}

#[test]
fn the_switch_for_tools_is_found() {
    let folder = Folder::new();
    let (program, five) = (folder.region(), folder.tool("tool5", "five.so", &[]));
    let list = ("OMP_TOOL_LIBRARIES", text(&five));
    for value in ["disabled", " DISABLED "] {
        let answer = ask(&program, &[list, ("OMP_TOOL", value)]);
        answer.expect("partly_seen", &["tool_disabled"]);
        assert_eq!(answer.tools(), ["openmp_5 five.so omp_tool_libraries not_asked"]);
        assert_eq!(answer.json["tools"][0]["reason"], "tool_disabled");
    }
    for value in ["enabled", "", "Enabled"] {
        let answer = ask(&program, &[list, ("OMP_TOOL", value)]);
        answer.expect("seen", &[]);
        assert!(!answer.json.to_string().contains("OMP_TOOL="), "{:#}", answer.json);
    }
    let odd = ask(&program, &[list, ("OMP_TOOL", "yes")]);
    odd.expect("seen", &[]);
    assert!(odd.json.to_string().contains("OMP_TOOL=yes is ignored"));
    // Without a tool it hides nothing.
    let none = ask(&program, &[("OMP_TOOL", "disabled")]);
    none.expect("seen", &[]);
    assert!(none.json.to_string().contains("OMP_TOOL=disabled is set"));
    let off = ask(&program, &[list, ("ORA_DISABLE", "1")]);
    off.expect("not_seen", &["disabled"]);
    assert_eq!(off.json["tools"][0]["reason"], "disabled");
}

#[test]
fn names_in_the_list_that_are_no_tools_say_why() {
    let folder = Folder::new();
    let program = folder.region();
    let (five, two) = (folder.tool("tool5", "five.so", &[]), folder.tool("tool2", "two.so", &[]));
    let foreign = folder.forged(&five, "foreign.so", |bytes| bytes[18..20].copy_from_slice(&243_u16.to_le_bytes()));
    folder.compile("part", "libpart.so", &["-shared", "-fPIC"]);
    let place = folder.library_path();
    let needs = folder.tool("tool5", "needs.so", &["-Wl,--no-as-needed", &place, "-lpart"]);
    for (name, says) in [
        ("/no/such.so", "can't be read: No such file"),
        ("no-such-name.so", "is not in any folder that the dynamic linker searches"),
        ("/etc/passwd", "is not a shared library"),
        (text(&program), "is a program"),
        (text(&foreign), "is for another machine: 64-bit RISC-V"),
        (text(&two), "is a tool of TR2: those are not looked for in that list"),
        ("libm.so.6", "exports neither ompt_start_tool"),
        (text(&needs), "can't be loaded: libpart.so was not found"),
    ] {
        let list = format!("{name}:{}", five.display());
        let answer = ask(&program, &[("OMP_TOOL_LIBRARIES", &list), ("LC_ALL", "C")]);
        answer.expect("partly_seen", &["tool_unusable"]);
        let what = answer.json["reasons"][0]["what"].as_str().unwrap();
        assert!(what.starts_with(name) && what.contains(says), "{what}");
        let tools = answer.tools();
        assert!(tools[0].ends_with("omp_tool_libraries not_asked"), "{tools:?}");
        assert_eq!(tools[1], "openmp_5 five.so omp_tool_libraries asked");
    }
    // The dynamic linker searches for a name without a slash.
    let named = ask(&program, &[("OMP_TOOL_LIBRARIES", "five.so"), ("LD_LIBRARY_PATH", text(&folder.file("")))]);
    named.expect("seen", &[]);
    assert_eq!(named.tools(), ["openmp_5 five.so omp_tool_libraries asked"]);
}

#[test]
fn the_first_tool_of_tr2_is_the_only_one() {
    let folder = Folder::new();
    let [first, second] = ["first.so", "second.so"].map(|name| folder.tool("tool2", name, &[]));
    let preload = format!("{}:{}", first.display(), second.display());
    let answer = ask(&folder.region(), &[("LD_PRELOAD", &preload)]);
    answer.expect("partly_seen", &["tool_hidden"]);
    assert_eq!(answer.tools(), ["tr2 first.so preloaded asked", "tr2 second.so preloaded not_asked"]);
    let what = answer.json["reasons"][0]["what"].as_str().unwrap();
    assert!(what.contains("second.so is not called") && what.contains("first.so comes before it"), "{what}");
}

/// Tools everywhere in a program's libraries: the prediction matches the run on each runtime.
#[test]
fn tools_in_libraries_are_asked_as_foretold() {
    let folder = Folder::new();
    let place = folder.library_path();
    let link = ["-Wl,--no-as-needed", &place, "-Wl,-rpath,$ORIGIN"];
    for name in ["libfirst.so", "libsecond.so", "libdeep.so"] {
        folder.tool("tool5", name, &[]);
    }
    for name in ["libtwo.so", "libtwo_deep.so"] {
        folder.tool("tool2", name, &[]);
    }
    // A library that needs tools of its own.
    folder.compile("part", "libpart.so", &[&["-shared", "-fPIC"], &link[..], &["-ldeep", "-ltwo_deep"]].concat());
    let by_gcc =
        folder.compile("region", "by_gcc", &[&["-fopenmp"], &link[..], &["-lpart", "-lfirst", "-lsecond"]].concat());
    let five = ["libfirst.so", "libsecond.so", "libdeep.so"];
    foretold(&folder, &by_gcc, &five, &["libtwo_deep.so"]);
    // LLVM's runtime contains its own definition, which comes first here.
    let libomp = [&link[..], &["-lomp", "-lpart", "-lfirst", "-lsecond", "-ltwo"]].concat();
    let Some(by_clang) = folder.clang("region", "by_clang", &libomp) else { return };
    foretold(&folder, &by_clang, &five, &["libtwo.so"]);
}

/// Compares the doctor's prediction for tools that all decline with the record of those that were asked.
fn foretold(folder: &Folder, program: &Path, five: &[&str], two: &[&str]) {
    let before = ask(program, &[]);
    let tools = before.tools();
    let of = |interface: &str| {
        let asked = tools.iter().filter(|line| line.starts_with(interface) && !line.ends_with("not_asked"));
        asked.map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!([of("openmp_5"), of("tr2")], [five, two], "{tools:?}");
    let record = folder.file("record");
    let mut run = Command::new(ORA);
    run.args(["run", "--"])
        .arg(program)
        .env("ORA_TOOL_LOG", &record)
        .envs([("TOOL5", "decline"), ("TOOL2", "decline")]);
    assert!(run.output().unwrap().status.success());
    let text = fs::read_to_string(&record).unwrap();
    fs::remove_file(&record).unwrap();
    let asked = |interface: &str| {
        let files =
            text.lines().filter_map(|line| line.split_once(&format!(" {interface} asks "))).map(|(_, file)| file);
        files.map(|file| file.rsplit('/').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!([asked("openmp_5"), asked("tr2")], [five, two], "{text}");
}

#[test]
fn a_tool_that_nobody_can_find_in_the_program_is_named() {
    let folder = Folder::new();
    with_own_tool(&folder, "own", &["-s", "-rdynamic"]);
    let seen = ask(&folder.file("own"), &[]);
    seen.expect("seen", &[]);
    assert_eq!(seen.tools(), ["openmp_5 own executable asked"]);

    let stripped = ask(&with_own_tool(&folder, "own", &["-s"]), &[]);
    stripped.expect("partly_seen", &["tool_stripped"]);
    assert_eq!(stripped.json["reasons"][0]["sure"], "likely");
    assert_eq!(stripped.tools(), [""; 0]);

    let script = folder.file("script");
    fs::write(&script, "{ global: main; local: *; };\n").unwrap();
    let script = format!("-Wl,--version-script={}", script.display());
    let concealed = ask(&with_own_tool(&folder, "own", &[&script]), &[]);
    concealed.expect("partly_seen", &["tool_concealed"]);
}

#[test]
fn where_nothing_is_seen_no_tool_is_asked() {
    let folder = Folder::new();
    let (five, two) = (folder.tool("tool5", "five.so", &[]), folder.tool("tool2", "two.so", &[]));
    let variables = [("OMP_TOOL_LIBRARIES", text(&five)), ("LD_PRELOAD", text(&two))];
    let plain = ask(&folder.compile("plain", "plain", &[]), &variables);
    plain.expect("not_seen", &["no_openmp"]);
    let not_asked = ["tr2 two.so preloaded not_asked", "openmp_5 five.so omp_tool_libraries not_asked"];
    assert_eq!(plain.tools(), not_asked);
    assert_eq!(plain.json["tools"][1]["reason"], "no_openmp");

    let fixed = ask(&with_own_tool(&folder, "static", &["-static"]), &[]);
    fixed.expect("not_seen", &["static_program"]);
    assert_eq!(fixed.tools(), ["openmp_5 static executable not_asked"]);

    let later = ask(&folder.compile("opener", "opener", &[]), &variables);
    later.expect("unknown", &["loaded_later"]);
    assert_eq!(later.tools(), not_asked.map(|line| line.replace("not_asked", "unknown")));

    let other = folder.forged(&folder.region(), "set-gid", |_| {});
    if chown(&other, None, Some(65534)).is_err() {
        return skip("only root can give a file away, so no privileged program was examined");
    }
    fs::set_permissions(&other, fs::Permissions::from_mode(0o2755)).unwrap();
    let privileged = ask(&other, &variables);
    privileged.expect("not_seen", &["privileged"]);
    assert_eq!(privileged.tools(), not_asked);
}
