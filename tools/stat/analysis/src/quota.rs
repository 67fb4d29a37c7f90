//! The processors that control groups grant (cgroups(7)), of both versions.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the system, or of `ora` itself in `/proc`"))]

use std::fs;
use std::path::{Path, PathBuf};

/// Processors for which the control groups of this process have a quota; `None` without a quota. The smallest quota of a group
/// and its ancestors counts.
pub fn of_this_process() -> Option<f64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    quota(&groups, Path::new("/sys/fs/cgroup"))
}

/// `groups`: the lines of `/proc/PID/cgroup`.
fn quota(groups: &str, root: &Path) -> Option<f64> {
    let lines = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (_number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        Some((controllers, path.trim_start_matches('/')))
    });
    let found = lines.flat_map(|(controllers, path)| {
        let mount = if controllers.is_empty() { root.to_owned() } else { root.join(controllers) };
        // Some systems mount controllers together, others have a link for each of them.
        let mounts: Vec<PathBuf> = match controllers {
            "" => vec![mount],
            _ if controllers.split(',').any(|name| name == "cpu") => vec![mount, root.join("cpu")],
            _ => vec![],
        };
        mounts
            .into_iter()
            .flat_map(|mount| above(&mount, path))
            .filter_map(|group| of_group(&group))
            .collect::<Vec<_>>()
    });
    found.reduce(f64::min)
}

/// A group's folder and those above it, up to the mount.
fn above(mount: &Path, path: &str) -> Vec<PathBuf> {
    Path::new(path).ancestors().map(|part| mount.join(part)).collect()
}

fn of_group(group: &Path) -> Option<f64> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    if let Ok(text) = fs::read_to_string(group.join("cpu.max")) {
        // `max 100000` means an unlimited quota.
        let (quota, period) = text.trim().split_once(' ')?;
        return Some(number(quota)? / number(period)?);
    }
    let read = |name: &str| number(&fs::read_to_string(group.join(name)).ok()?);
    let (quota, period) = (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?);
    (quota > 0.0).then(|| quota / period)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = root.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        root
    }

    #[test]
    fn the_least_quota_on_the_way_up_counts_in_both_versions() {
        let tree = tree(&[
            ("a/cpu.max", "150000 100000\n"),
            ("a/b/cpu.max", "max 100000\n"),
            ("cpu,cpuacct/x/cpu.cfs_quota_us", "50000\n"),
            ("cpu,cpuacct/x/cpu.cfs_period_us", "100000\n"),
            ("cpu/y/cpu.cfs_quota_us", "-1\n"),
            ("cpu/y/cpu.cfs_period_us", "100000\n"),
        ]);
        let root = tree.path();
        assert_eq!(quota("0::/a/b\n", root), Some(1.5));
        assert_eq!(quota("0::/b\n", root), None);
        assert_eq!(quota("3:cpu,cpuacct:/x\n1:name=systemd:/a\n0::/a\n", root), Some(0.5));
        assert_eq!(quota("1:cpu:/y\n", root), None);
        assert_eq!(quota("nonsense\n", root), None);
    }
}
