//! Folder of a recording without `-o`, in a working directory that belongs to another user.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use crate::harness::{Folder, errors, ora, run};
use crate::other_environments::is_root;

const NOBODY: u32 = 65534;

#[test]
fn a_link_or_a_foreign_folder_in_place_of_the_usual_one_is_passed_over() {
    if !is_root() {
        return;
    }
    let folder = Folder::new();
    let [place, other] = ["place", "other"].map(|name| folder.file(name));
    for path in [&place, &other] {
        fs::create_dir(path).unwrap();
    }
    chown(&place, Some(NOBODY), None).unwrap();
    symlink(&other, place.join("ora-trace")).unwrap();
    fs::create_dir(place.join("ora-trace.2")).unwrap();
    chown(place.join("ora-trace.2"), Some(NOBODY), None).unwrap();
    fs::create_dir(place.join("ora-trace.3")).unwrap();
    fs::set_permissions(place.join("ora-trace.3"), fs::Permissions::from_mode(0o777)).unwrap();
    let program = folder.compile("traced", "traced", &["-g", "-fopenmp"]);
    let output = run(ora(&["trace", "--"]).arg(program).args(["regions", "3"]).current_dir(&place));
    assert!(errors(&output).contains("this one goes to ora-trace.4"), "{}", errors(&output));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0, "the link was followed");
    for name in ["ora-trace.2", "ora-trace.3"] {
        assert_eq!(fs::read_dir(place.join(name)).unwrap().count(), 0, "{name}");
    }
    assert_eq!(fs::read_dir(place.join("ora-trace.4")).unwrap().count(), 1);
}
