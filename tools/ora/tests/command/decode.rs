//! `ora decode` on handwritten buffers: for each `golden/NAME.in` the output in `golden/NAME.out`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::harness::{Folder, errors, ora, run, text};
use crate::reference::document;
use crate::skips::skip;

fn decode(options: &[&str], input: &[u8]) -> Output {
    let mut child = ora(&["decode"])
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn bytes(words: &[i32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// To update the expected files, run `ORA_BLESS=1 cargo test -p ora-cli`, and then read them.
#[test]
fn buffers_written_by_hand_are_explained_word_for_word() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/golden");
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "in") {
            continue;
        }
        seen += 1;
        let source = fs::read_to_string(&path).unwrap();
        let options: &[&str] = if source.starts_with("// --reply") { &["--reply"] } else { &[] };
        let output = decode(options, source.as_bytes());
        let got = format!("{}exit code {}\n", text(&output), output.status.code().unwrap());
        let expected = path.with_extension("out");
        if std::env::var_os("ORA_BLESS").is_some() {
            fs::write(&expected, &got).unwrap();
        }
        let expected = fs::read_to_string(&expected).unwrap();
        assert_eq!(got, expected, "{}", path.display());
        assert_eq!(errors(&output), "");
    }
    assert!(seen >= 15, "{seen}");
}

#[test]
fn the_same_buffer_is_read_from_bytes_hex_and_c() {
    let raw = bytes(&[20, 3, -1, 0, 0x7a7a_7a7a, 0]);
    let dump = |tool: &[&str]| {
        let folder = Folder::new();
        let file = folder.file("raw");
        fs::write(&file, &raw).unwrap();
        let output = std::process::Command::new(tool[0]).args(&tool[1..]).arg(&file).output();
        output.map(|output| output.stdout).unwrap_or_default()
    };
    let wanted = text(&decode(&[], &raw));
    assert!(wanted.contains("OMP_REQ_STATE (3), sz 20 = 16 + 4 of mem"), "{wanted}");
    let mut spellings = vec![
        b"14000000 03000000 ffffffff 00000000 7a7a7a7a 00000000".to_vec(),
        b"{0x14, 0, 0, 0, 3, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, 122, 122, 122, 122, 0, 0, 0, 0}".to_vec(),
        b"int a[] = {20, OMP_REQ_STATE, -1, 0, 0x7a7a7a7a, 0};".to_vec(),
    ];
    for tool in [
        &["od", "-t", "x1"][..],
        &["od", "-x"],
        &["od", "-A", "x", "-t", "x4"],
        &["hexdump"],
        &["hexdump", "-C"],
        &["xxd"],
    ] {
        let dumped = dump(tool);
        if dumped.is_empty() {
            skip(format_args!("{} is not installed", tool[0]));
            continue;
        }
        spellings.push(dumped);
    }
    assert!(spellings.len() >= 6, "od is part of every system");
    for spelling in spellings {
        let output = decode(&[], &spelling);
        assert_eq!(text(&output), wanted, "{}{}", String::from_utf8_lossy(&spelling), errors(&output));
    }
    let forced = decode(&["--format", "hex", "--words"], b"14 3 ffffffff 0 7a7a7a7a 0");
    assert_eq!(text(&forced), wanted);
}

#[test]
fn json_has_what_the_text_has() {
    let buffer = bytes(&[28, 1, -1, 0, 1, 0x5555_1000, 0x5555, 18]);
    let output = decode(&["--json"], &buffer);
    assert_eq!(output.status.code(), Some(1));
    let json = document(&output.stdout);
    assert_eq!((&json["schema"], &json["version"], &json["format"]), (&"ora-decode".into(), &1.into(), &"raw".into()));
    let entry = &json["buffer"]["entries"][0];
    assert_eq!(entry["event"]["name"], "OMP_EVENT_FORK");
    assert_eq!(
        (&entry["callback"]["address"], &entry["callback"]["layout"]),
        (&"0x555555551000".into(), &"packed".into())
    );
    assert_eq!((&entry["answers"][0]["ec"], &entry["answers"][0]["rsz"]), (&0.into(), &0.into()));
    let end = &json["buffer"]["end"];
    assert_eq!((&end["offset"], &end["well_formed"], &json["well_formed"]), (&28.into(), &false.into(), &false.into()));
    assert_eq!(json["buffer"]["returns"], -1);
}

#[test]
fn what_cannot_be_read_ends_with_2_and_says_why() {
    for (input, options, says) in [
        (&b""[..], &[][..], "is empty"),
        (b"{16, hello}", &[], "element 2, `hello`, is not a number"),
        (b"14 0g", &[], "`0g` is not hexadecimal"),
        (b"\x10\0\0\0", &["--format", "log"], "does not begin with ORAREQ"),
        (b"\xff\xff", &["--format", "hex"], "not text"),
        (b"// nothing", &["--format", "c"], "no numbers"),
    ] {
        let output = decode(options, input);
        assert_eq!((output.status.code(), text(&output)), (Some(2), String::new()));
        assert!(errors(&output).contains(says), "{}", errors(&output));
    }
    let missing = run(&mut ora(&["decode", "/no/such/file"]));
    assert_eq!(missing.status.code(), Some(2));
    assert!(errors(&missing).contains("cannot read /no/such/file"));
    assert_eq!(run(&mut ora(&["decode"])).status.code(), Some(2));
}
