//! A bug that is known: a patch of one piece. It fits where its lines stand, whichever their numbers are by now.

/// A piece of a file, and what it becomes.
#[derive(Debug)]
pub struct Bug {
    /// The file, from the project's folder.
    pub file: String,
    right: String,
    wrong: String,
}

impl Bug {
    /// Reads a unified diff (diff -u) of one piece; `None` where it is something else.
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

    /// The file's text with the bug in it; `None` where the piece is not there, or not there alone.
    pub fn plant(&self, text: &str) -> Option<String> {
        let (before, after) = text.split_once(&self.right)?;
        (!after.contains(&self.right)).then(|| [before, &self.wrong, after].concat())
    }
}
