//! Checks that the planted bugs fit the current sources, so that `fuzz --planted` can search for them.

#![allow(clippy::unwrap_used)] // a test

use fuzz::bug::Bug;
use std::fs;
use std::path::Path;

#[test]
fn each_planted_bug_fits() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = fs::read_dir(fuzz.join("planted")).unwrap().map(|entry| entry.unwrap().path());
    let mut bugs = 0;
    for path in entries.filter(|path| path.extension().is_some_and(|e| e == "patch")) {
        let bug = Bug::read(&fs::read_to_string(&path).unwrap()).expect("a patch of one piece");
        let text = fs::read_to_string(fuzz.join("../../..").join(&bug.file)).unwrap();
        assert!(bug.plant(&text).is_some_and(|planted| planted != text), "{} does not fit", path.display());
        bugs += 1;
    }
    assert_eq!(bugs, 10);
}
