//! Reading ahead: the next process is read and decoded while the last one is analysed.

use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::{InputError, Libraries, Process};

/// Maximum number of processes that are read and not yet taken. Each is in memory.
const AHEAD: usize = 1;

/// Passes the processes of `folders`, in their order, to `take`. Each folder is read once, by another thread where the system
/// grants one.
pub fn ahead<T>(
    folders: &[PathBuf],
    take: impl FnOnce(&mut dyn Iterator<Item = Result<Process, InputError>>) -> T,
) -> T {
    let (send, receive) = sync_channel(AHEAD);
    let processes = || {
        let mut libraries = Libraries::default();
        folders.iter().map(move |folder| Process::open(folder, &mut libraries))
    };
    thread::scope(|scope| {
        let reader = thread::Builder::new().spawn_scoped(scope, move || {
            // Until no more are taken.
            processes().all(|process| send.send(process).is_ok())
        });
        if reader.is_err() {
            return take(&mut processes());
        }
        let mut processes = receive.into_iter();
        let taken = take(&mut processes);
        drop(processes);
        taken
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use profile_format::FILE;
    use profile_format::simulated::Simulated;

    use super::*;

    #[test]
    fn processes_come_in_the_order_of_their_folders_and_nobody_waits_for_those_that_are_left() {
        let folder = tempfile::tempdir().unwrap();
        let folders: Vec<PathBuf> = (0..9).map(|number| folder.path().join(number.to_string())).collect();
        for folder in &folders {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(FILE), Simulated::new().bytes).unwrap();
        }
        let all = ahead(&folders, |processes| processes.map(|process| process.unwrap().folder).collect::<Vec<_>>());
        assert_eq!(all, folders);
        let first = ahead(&folders, |processes| processes.next().unwrap().unwrap().folder);
        assert_eq!(first, folders[0]);
        let missing = ahead(&[folder.path().join("no")], |processes| processes.next().unwrap().is_err());
        assert!(missing);
    }
}
