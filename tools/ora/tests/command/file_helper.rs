//! Helper process for the files of a watched process: what it may do, and which of its answers are trusted.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, mkfifoat};
use tempfile::TempDir;
use untrusted::acting::{Bounds, Helper, MAX_WAIT};
use untrusted::descriptor::OtherProcess;
use untrusted::own_folder::OwnFolder;

use crate::attach_elsewhere::NOBODY;
use crate::harness::{Folder, ORA};
use crate::other_environments::is_root;

/// First word of a helper's command line.
const HELPER: &str = "ora: files of a watched process";

fn opened(folder: &Path) -> OwnFolder {
    OwnFolder::named(folder).unwrap()
}

/// Process of an ordinary user, and a folder of that user.
struct Watched {
    process: Child,
    about: OtherProcess,
    place: TempDir,
}

impl Watched {
    /// If we are root, a process of another user; otherwise one of our own.
    fn new() -> Self {
        let words = if is_root() { NOBODY.as_slice() } else { &["env"] };
        let mut process = Command::new(words[0]).args(&words[1..]).args(["sleep", "100"]).spawn().unwrap();
        let program = format!("/proc/{}/exe", process.id());
        while !fs::read_link(&program).is_ok_and(|it| it.ends_with("sleep")) {
            assert!(process.try_wait().unwrap().is_none(), "{words:?} can't start a program");
            std::thread::sleep(Duration::from_millis(1));
        }
        let about = OtherProcess::open(process.id()).unwrap();
        let place = tempfile::tempdir().unwrap();
        let watched = Self { process, about, place };
        watched.give(watched.place.path());
        watched
    }

    /// Gives a file to the process's user.
    fn give(&self, path: &Path) {
        std::os::unix::fs::lchown(path, Some(self.about.user()), None).unwrap();
    }

    /// Creates a folder that belongs to the user.
    fn folder(&self, name: &str) -> PathBuf {
        let path = self.place.path().join(name);
        fs::create_dir(&path).unwrap();
        self.give(&path);
        path
    }

    /// Creates a file that belongs to the user.
    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.place.path().join(name);
        fs::write(&path, content).unwrap();
        self.give(&path);
        path
    }

    fn helper(&self) -> Helper {
        let place = File::open(self.place.path()).unwrap();
        Helper::of_program(Path::new(ORA), self.about.rights(), &place, MAX_WAIT).unwrap()
    }

    /// Starts a helper that is this shell script.
    fn forged(&self, script: &str, max_wait: Duration) -> std::io::Result<Helper> {
        self.by_script("sh", script, max_wait)
    }

    fn by_script(&self, shell: &str, script: &str, max_wait: Duration) -> std::io::Result<Helper> {
        let folder = Folder::new();
        let program = folder.file("script");
        fs::write(&program, format!("#!/usr/bin/env {shell}\n{script}")).unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        Helper::of_program(&program, self.about.rights(), &File::open(self.place.path()).unwrap(), max_wait)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn the_helper_has_the_rights_of_the_process_and_no_descriptor_of_ours() {
    let watched = Watched::new();
    // Started with a descriptor that `ora` has inherited without knowing it.
    let script = format!("exec 700</etc/passwd; exec -a '{HELPER}' {ORA} \"$@\"");
    let helper = watched.by_script("bash", &script, MAX_WAIT).unwrap();
    let folder = PathBuf::from(format!("/proc/{}", helper.pid()));
    let text = |pid: u32| fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = |text: &str, name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    let (its, theirs) = (text(helper.pid()), text(watched.process.id()));
    for name in ["Uid:", "Gid:", "Groups:", "CapEff:"] {
        assert_eq!(line(&its, name), line(&theirs, name));
    }
    assert_eq!(line(&its, "NoNewPrivs:"), "NoNewPrivs:\t1");
    assert_eq!(line(&its, "CapPrm:").split_once('\t').unwrap().1, line(&its, "CapEff:").split_once('\t').unwrap().1);
    assert_eq!(fs::metadata(folder.join("status")).unwrap().uid(), 0, "it is not dumpable");
    if is_root() {
        let plain = watched.helper();
        assert!(fs::read(format!("/proc/{}/environ", plain.pid())).unwrap().is_empty());
        let mut open: Vec<_> = fs::read_dir(folder.join("fd")).unwrap().map(|it| it.unwrap().file_name()).collect();
        open.sort();
        assert_eq!(open, ["0", "1", "2", "3", "4"], "the folder and the way to the parent, both twice, and /dev/null");
        assert_eq!(fs::read_link(folder.join("fd/2")).unwrap(), Path::new("/dev/null"));
        assert_eq!(fs::read_link(folder.join("cwd")).unwrap(), Path::new("/"));
    }
    drop(helper);
    assert!(!folder.exists());
}

#[test]
fn folders_and_regular_files_of_the_user_are_fetched_and_nothing_else() {
    let watched = Watched::new();
    let folder = watched.folder("pid-7");
    watched.file("pid-7/events", "content");
    watched.folder("pid-7/deeper");
    watched.file("beside", "content");
    mkfifoat(CWD, folder.join("pipe"), Mode::RWXU).unwrap();
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("secret"), "secret").unwrap();
    symlink(other.path().join("secret"), folder.join("link")).unwrap();
    symlink(other.path(), watched.place.path().join("pid-8")).unwrap();
    for name in ["pipe", "link"] {
        watched.give(&folder.join(name));
    }
    if is_root() {
        // The same as a hard link to root's file.
        fs::write(folder.join("of-root"), "secret").unwrap();
        fs::create_dir(watched.place.path().join("pid-9")).unwrap();
    }
    let to = Folder::new();
    fs::create_dir(to.file("copy")).unwrap();
    watched.helper().fetch(&opened(&to.file("copy")), Bounds::default(), |_| true).unwrap();
    let names = |folder: &str| -> Vec<_> {
        fs::read_dir(to.file(folder)).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    assert_eq!((names("copy"), names("copy/pid-7")), (vec!["pid-7".into()], vec!["events".into()]));
    assert_eq!(fs::read_to_string(to.file("copy/pid-7/events")).unwrap(), "content");
    assert_eq!(fs::metadata(to.file("copy/pid-7/events")).unwrap().mode() & 0o777, 0o600);
    watched.helper().fetch(&opened(&to.file("copy")), Bounds::default(), |_| true).unwrap_err();
}

#[test]
fn a_file_that_the_user_cannot_read_is_not_read_for_them() {
    if !is_root() {
        return;
    }
    let watched = Watched::new();
    let closed = watched.place.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, PermissionsExt::from_mode(0o700)).unwrap();
    watched.file("closed/file", "content");
    let unreadable = watched.file("unreadable", "secret");
    fs::set_permissions(&unreadable, PermissionsExt::from_mode(0o000)).unwrap();
    let of_root = watched.file("of-root", "secret");
    chown(&of_root, Some(0), None).unwrap();
    let mut helper = watched.helper();
    for path in ["closed/file", "unreadable", "of-root", "../", "/proc/self/fd/1"] {
        let error = helper.open(Path::new(path)).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::NotFound),
            "{path}: {error}"
        );
    }
    helper.read_at(&mut [0; 8], 0).unwrap_err();
}

#[test]
fn holes_stay_holes_and_have_a_bound() {
    let watched = Watched::new();
    watched.folder("pid-7");
    let sparse = File::create(watched.file("pid-7/events", "")).unwrap();
    sparse.set_len(900 << 20).unwrap();
    sparse.write_all_at(b"middle", 500 << 20).unwrap();
    let to = Folder::new();
    fs::create_dir(to.file("copy")).unwrap();
    watched.helper().fetch(&opened(&to.file("copy")), Bounds::default(), |_| true).unwrap();
    let copy = File::open(to.file("copy/pid-7/events")).unwrap();
    let about = copy.metadata().unwrap();
    assert_eq!(about.len(), 900 << 20);
    assert!(about.blocks() * 512 < 1 << 24, "{} blocks", about.blocks());
    let mut content = [0; 6];
    copy.read_exact_at(&mut content, 500 << 20).unwrap();
    assert_eq!(&content, b"middle");
    sparse.set_len(3 << 30).unwrap();
    fs::remove_dir_all(to.file("copy/pid-7")).unwrap();
    let error = watched.helper().fetch(&opened(&to.file("copy")), Bounds::default(), |_| true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FileTooLarge);
}

#[test]
fn what_is_fetched_has_bounds() {
    let watched = Watched::new();
    watched.folder("pid-7");
    watched.file("pid-7/first", "content");
    watched.file("pid-7/second", "content");
    let usual = Bounds::default();
    for (bounds, is_enough) in [
        (Bounds { entries: 3, bytes: 14, ..usual }, true),
        (Bounds { entries: 2, ..usual }, false),
        (Bounds { bytes: 13, ..usual }, false),
    ] {
        let to = Folder::new();
        fs::create_dir(to.file("copy")).unwrap();
        assert_eq!(
            watched.helper().fetch(&opened(&to.file("copy")), bounds, |_| true).is_ok(),
            is_enough,
            "{bounds:?}"
        );
    }
}

#[test]
fn a_folder_is_removed_with_the_users_rights_and_no_link_is_followed() {
    let watched = Watched::new();
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("file"), "").unwrap();
    watched.give(other.path());
    let folder = watched.folder("ora-1");
    watched.folder("ora-1/pid-7");
    watched.file("ora-1/pid-7/events", "content");
    symlink(other.path(), folder.join("link")).unwrap();
    symlink(other.path(), watched.place.path().join("ora-2")).unwrap();
    let mut helper = watched.helper();
    helper.remove(OsStr::new("ora-1")).unwrap();
    assert!(!folder.exists());
    for name in ["ora-2", "..", ".", "", "ora-1/pid-7", "none"] {
        helper.remove(OsStr::new(name)).unwrap_err();
    }
    assert!(other.path().join("file").exists());
    if is_root() {
        let folder = watched.folder("ora-3");
        fs::create_dir(folder.join("of-root")).unwrap();
        fs::write(folder.join("of-root/file"), "").unwrap();
        helper.remove(OsStr::new("ora-3")).unwrap_err();
        assert!(folder.join("of-root/file").exists());
    }
}

/// Answer without an error and without content: the helper is ready.
const READY: &str = r"printf '\0\0\0\0\0\0\0\0'";

#[test]
fn a_forged_answer_is_refused() {
    let watched = Watched::new();
    watched.forged("yes", MAX_WAIT).unwrap_err();
    watched.forged("exit 0", MAX_WAIT).unwrap_err();
    let fetch = |answer: &str| {
        let to = Folder::new();
        let mut helper = watched.forged(&format!("{READY}\n{answer}"), Duration::from_secs(5)).unwrap();
        let outcome = helper.fetch(&opened(&to.file(".")), Bounds::default(), |_| true);
        assert_eq!(fs::read_dir(to.file(".")).unwrap().count(), 0, "{answer}");
        outcome.unwrap_err()
    };
    for name in ["../x", "..", ".", "/tmp"] {
        let (length, whole) = (name.len(), name.len() + 2);
        let entry = format!(r"printf '\0\0\0\0\{whole:o}\0\0\0\1\{length:o}{name}'; sleep 100");
        assert_eq!(fetch(&entry).kind(), ErrorKind::InvalidData, "{name}");
    }
    assert_eq!(fetch("yes").kind(), ErrorKind::InvalidData);
    assert_eq!(fetch("exit 0").kind(), ErrorKind::BrokenPipe);
}

#[test]
fn a_silent_helper_is_waited_for_until_a_deadline_and_ended() {
    let watched = Watched::new();
    let begun = Instant::now();
    let error = watched.forged("exec sleep 100", Duration::from_millis(100)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    let mut helper = watched.forged(&format!("{READY}\nexec sleep 100"), Duration::from_millis(100)).unwrap();
    assert_eq!(helper.open(Path::new("x")).unwrap_err().kind(), ErrorKind::TimedOut);
    let folder = PathBuf::from(format!("/proc/{}", helper.pid()));
    drop(helper);
    assert!(!folder.exists());
    assert!(begun.elapsed() < Duration::from_secs(50));
}
