//! A known bug as a patch with one hunk. The hunk is located by its text, so line numbers may have changed.

/// Hunk of a patch: lines of a file, and their replacement.
#[derive(Debug)]
pub struct Bug {
    /// Path of the file, from the project's folder.
    pub file: String,
    right: String,
    wrong: String,
}

impl Bug {
    /// Parses a unified diff (diff -u) with one hunk; `None` if it is anything else.
    pub fn read(patch: &str) -> Option<Self> {
        let file = patch.lines().find_map(|line| line.strip_prefix("+++ b/"))?.to_owned();
        let mut bug = Self { file, right: String::new(), wrong: String::new() };
        for line in patch.split_inclusive('\n').skip_while(|line| !line.starts_with("@@")).skip(1) {
            let (mark, line) = line.split_at_checked(1)?;
            match mark {
                " " => [&mut bug.right, &mut bug.wrong].into_iter().for_each(|side| *side += line),
                "-" => bug.right += line,
                "+" => bug.wrong += line,
                _ => return None,
            }
        }
        (bug.right != bug.wrong).then_some(bug)
    }

    /// Returns the file's text with the bug; `None` if the lines are missing or occur more than once.
    pub fn plant(&self, text: &str) -> Option<String> {
        let (before, after) = text.split_once(&self.right)?;
        (!after.contains(&self.right)).then(|| [before, &self.wrong, after].concat())
    }
}
