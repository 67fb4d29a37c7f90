//! Settings of the environment that an installation needs: those that are missing, as lines for a shell.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The part of the environment that matters for an installation.
#[derive(Clone, Debug, Default)]
struct Surroundings {
    /// Folders in PATH.
    programs: Vec<PathBuf>,
    /// Folders in which `man` looks, with the command's folder in PATH; `None`: that can't be found out.
    pages: Option<Vec<PathBuf>>,
    /// Folders in which the dynamic linker looks.
    libraries: Vec<PathBuf>,
    /// Folders in which `pkg-config` looks; `None`: there is no `pkg-config`.
    packages: Option<Vec<PathBuf>>,
    /// Folders of shared data, in which bash and fish look for completions.
    data: Vec<PathBuf>,
    /// The user's shell, without its folder.
    shell: String,
}

/// The missing settings for an installation, each with a comment; empty if there is nothing to do.
pub(super) fn missing(prefix: &Path) -> Vec<String> {
    lines(prefix, &Surroundings::here(prefix))
}

impl Surroundings {
    fn here(prefix: &Path) -> Self {
        let list = |name: &str| folders(env::var_os(name));
        let home = env::var_os("HOME").map(PathBuf::from);
        let data_home = env::var_os("XDG_DATA_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
        let mut data: Vec<PathBuf> = data_home.or_else(|| Some(home?.join(".local/share"))).into_iter().collect();
        let shared = list("XDG_DATA_DIRS");
        data.extend(if shared.is_empty() { folders(Some("/usr/local/share:/usr/share".into())) } else { shared });
        let mut libraries = list("LD_LIBRARY_PATH");
        libraries.extend(["/lib", "/usr/lib", "/lib64", "/usr/lib64"].map(PathBuf::from));
        libraries.extend(linker_folders(Path::new("/etc/ld.so.conf")));
        let packages = output(Command::new("pkg-config").args(["--variable", "pc_path", "pkg-config"]));
        let packages = packages.map(|usual| [list("PKG_CONFIG_PATH"), folders(Some(usual.into()))].concat());
        let shell = env::var("SHELL").unwrap_or_default();
        Self {
            programs: list("PATH"),
            pages: pages(prefix),
            libraries,
            packages,
            data,
            shell: shell.rsplit('/').next().unwrap_or_default().to_owned(),
        }
    }
}

/// Folders in which `man` looks. It derives some from PATH, so the command's folder stands there.
fn pages(prefix: &Path) -> Option<Vec<PathBuf>> {
    let path = env::join_paths([prefix.join("bin")].into_iter().chain(folders(env::var_os("PATH")))).ok()?;
    Some(folders(Some(output(Command::new("manpath").arg("-q").env("PATH", path))?.into())))
}

/// Folders in a configuration file of the dynamic linker, and in the files that it includes (ldconfig(8)).
fn linker_folders(file: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut found = Vec::new();
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        match line.strip_prefix("include ").map(|pattern| Path::new(pattern.trim())) {
            // As `/etc/ld.so.conf.d/*.conf`.
            Some(pattern) => {
                let entries = pattern.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
                let files = entries.flatten().map(|entry| entry.path());
                found.extend(
                    files.filter(|file| file.extension() == pattern.extension()).flat_map(|file| linker_folders(&file)),
                );
            }
            None if line.starts_with('/') => found.push(PathBuf::from(line)),
            None => {}
        }
    }
    found
}

/// Stdout of a command that is there and succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn folders(list: Option<OsString>) -> Vec<PathBuf> {
    env::split_paths(&list.unwrap_or_default()).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

fn lines(prefix: &Path, here: &Surroundings) -> Vec<String> {
    let has = |folders: &[PathBuf], name: &str| {
        let folder = prefix.join(name);
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        folders.iter().any(|known| *known == folder || real(known) == real(&folder))
    };
    let quoted = |name: &str| {
        let path = prefix.join(name).display().to_string();
        path.chars().fold(String::new(), |text, c| {
            if "\\\"$`".contains(c) { format!("{text}\\{c}") } else { format!("{text}{c}") }
        })
    };
    let fish = here.shell == "fish";
    let mut lines = Vec::new();
    // An empty part of LD_LIBRARY_PATH would be the current folder.
    let mut prepend = |variable: &str, name: &str, meaning: &str| {
        let folder = quoted(name);
        lines.push(if fish {
            format!("set -gx --prepend {variable} \"{folder}\"   # {meaning}")
        } else {
            let rest = if variable == "PATH" { ":$PATH".to_owned() } else { format!("${{{variable}:+:${variable}}}") };
            format!("export {variable}=\"{folder}{rest}\"   # {meaning}")
        });
    };
    if !has(&here.programs, "bin") {
        prepend("PATH", "bin", "the command `ora`");
    }
    if here.packages.as_ref().is_some_and(|known| !has(known, "lib/pkgconfig")) {
        prepend("PKG_CONFIG_PATH", "lib/pkgconfig", "`pkg-config --cflags --libs ora`");
    }
    if !has(&here.libraries, "lib") {
        let rpath = format!("only for programs linked with -lora and without -Wl,-rpath,{}", quoted("lib"));
        prepend("LD_LIBRARY_PATH", "lib", &format!("{rpath} (`pkg-config` sets that)"));
    }
    if here.pages.as_ref().is_some_and(|known| !has(known, "share/man")) {
        // The empty part stands for the system's folders.
        let folder = quoted("share/man");
        lines.push(if fish {
            format!("set -gx MANPATH \"{folder}\" $MANPATH \"\"   # man pages")
        } else {
            format!("export MANPATH=\"{folder}:$MANPATH\"   # man pages")
        });
    }
    if matches!(&*here.shell, "bash" | "fish") && !has(&here.data, "share") {
        lines.push(completions(quoted("share"), here));
    }
    // zsh's own folders are those of the system.
    let usual = ["/usr", "/usr/local"].iter().any(|usual| prefix == Path::new(usual));
    if here.shell == "zsh" && !usual {
        lines.push(format!(
            "fpath=(\"{}\" $fpath)   # completions: in ~/.zshrc, before compinit",
            quoted("share/zsh/site-functions")
        ));
    }
    lines
}

/// The line that has bash or fish find completions in a folder, whose name may stand in quotes.
fn completions(folder: String, here: &Surroundings) -> String {
    if here.shell == "fish" {
        let others = here.data.get(1..).unwrap_or_default().iter().map(|folder| folder.display().to_string());
        let all = others.fold(folder, |all, other| format!("{all}:{other}"));
        return format!("set -gx XDG_DATA_DIRS \"{all}\"   # completions of fish");
    }
    let others = "${XDG_DATA_DIRS:-/usr/local/share:/usr/share}";
    format!("export XDG_DATA_DIRS=\"{folder}:{others}\"   # completions of bash")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare() -> Surroundings {
        Surroundings {
            pages: Some(Vec::new()),
            packages: Some(Vec::new()),
            shell: "bash".to_owned(),
            ..Surroundings::default()
        }
    }

    #[test]
    fn what_is_not_set_is_named() {
        let lines = lines(Path::new("/opt/my $tools"), &bare());
        let variables: Vec<&str> =
            lines.iter().filter_map(|line| line.strip_prefix("export ")?.split('=').next()).collect();
        assert_eq!(variables, ["PATH", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "MANPATH", "XDG_DATA_DIRS"]);
        assert!(lines[2].contains("/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\""), "{lines:?}");
        assert!(lines[0].starts_with("export PATH=\"/opt/my \\$tools/bin:$PATH\"   #"), "{lines:?}");
    }

    #[test]
    fn fish_has_its_own_words() {
        let data = ["/home/me/.local/share", "/usr/share"].map(PathBuf::from).to_vec();
        let here = Surroundings { shell: "fish".to_owned(), pages: None, data, ..bare() };
        let lines = lines(Path::new("/opt/ora"), &here);
        assert!(lines[0].starts_with("set -gx --prepend PATH \"/opt/ora/bin\"   #"), "{lines:?}");
        assert!(lines[3].starts_with("set -gx XDG_DATA_DIRS \"/opt/ora/share:/usr/share\"   #"), "{lines:?}");
    }

    #[test]
    fn what_is_set_or_not_there_is_not_named() {
        let folder = |name: &str| vec![PathBuf::from("/opt/ora").join(name)];
        let here = Surroundings {
            programs: folder("bin/"),
            pages: None,
            libraries: folder("lib"),
            packages: None,
            data: folder("share"),
            shell: "fish".to_owned(),
        };
        assert_eq!(lines(Path::new("/opt/ora"), &here), Vec::<String>::new());
    }

    #[test]
    fn zsh_has_a_line_of_its_own_where_the_folder_is_not_the_systems() {
        let here = Surroundings { shell: "zsh".to_owned(), ..bare() };
        assert!(lines(Path::new("/opt/ora"), &here).last().unwrap().starts_with("fpath=(\"/opt/ora/share/zsh"));
        assert!(lines(Path::new("/usr/local"), &here).iter().all(|line| !line.starts_with("fpath")));
    }

    #[test]
    fn the_linkers_configuration_includes_files() {
        let scratch = tempfile::tempdir().unwrap();
        let (main, more) = (scratch.path().join("ld.so.conf"), scratch.path().join("ld.so.conf.d"));
        fs::create_dir(&more).unwrap();
        fs::write(more.join("a.conf"), "# ours\n/opt/lib\n").unwrap();
        fs::write(more.join("b.txt"), "/no\n").unwrap();
        fs::write(&main, format!("include {}/*.conf\n/usr/local/lib # usual\n", more.display())).unwrap();
        assert_eq!(linker_folders(&main), ["/opt/lib", "/usr/local/lib"].map(PathBuf::from));
    }
}
