//! Programs in the documents: a source that a sample compiles or runs must be a file, and a program that a page shows must be quoted from a
//! file.

use super::document::Document;
use crate::workspace;

/// Extensions of sources.
const SOURCES: [&str; 5] = [".c", ".cc", ".cpp", ".f90", ".py"];
/// Texts that identify a whole program or library, by the language of the code block.
const WHOLE: [(&str, &[&str]); 2] = [
    ("c", &["int main(", "__attribute__((constructor))", " *ompt_start_tool(", "int ompt_initialize("]),
    ("python", &["import "]),
];

/// Returns a line for each program in a document that doesn't exist on disk, or that a page shows without quoting a file.
pub(super) fn nowhere(documents: &[Document]) -> Vec<String> {
    let is_there = |name: &str| workspace::root().join(name).is_file();
    let line = |document: &Document, fault| format!("{}: {fault}", document.shown());
    let faults = |document| faults(document, is_there).into_iter().map(move |fault| line(document, fault));
    documents.iter().flat_map(faults).collect()
}

/// Faults of one document. Files are searched for in the checkout's top folder, where samples start.
fn faults(document: &Document, is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let (mut faults, mut made) = (Vec::new(), Vec::new());
    for (language, block) in &document.blocks {
        let whole = WHOLE.iter().find(|(its, _)| its == language).map_or(&[][..], |(_, parts)| *parts);
        if let Some(part) = whole.iter().find(|part| block.contains(**part)) {
            faults.push(format!("a program with `{}` is not quoted from a file by {{{{#include}}}}", part.trim()));
        }
        if !matches!(language.as_str(), "" | "sh") {
            continue;
        }
        for line in block.lines() {
            let words: Vec<&str> = line.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
            // Files whose names start with `~` are installed.
            let is_source = |word: &&&str| SOURCES.iter().any(|end| word.ends_with(end)) && !word.starts_with('~');
            let missing = words.iter().filter(is_source).map(|word| word.trim_start_matches('>'));
            // A command that writes a source names it last.
            let writes = words.first() == Some(&"opari2") || words.iter().any(|word| word.starts_with('>'));
            if let Some(last) = words.last().filter(|_| writes) {
                made.push(last.trim_start_matches('>'));
            }
            let missing = missing.filter(|name| !is_there(name) && !made.contains(name));
            faults.extend(missing.map(|name| format!("`{}` names a program that is nowhere: {name}", line.trim())));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_documents_are_files() {
        let is_there = |name: &str| name == "examples/a.c";
        for right in [
            "    gcc examples/a.c -o a\n    sed s/a/b/ examples/a.c >b.c\n    gcc b.c   # not c.c\n    python3 ~/c.py\n",
            "    opari2 examples/a.c i.c\n    gcc i.c\n",
            "```c\n{{#include ../examples/a.c}}\n```\n",
            "```c\nint f(void);\n```\n```text\ngcc c.c\n```\n`c.c`\n",
        ] {
            assert_eq!(faults(&Document::of(right.to_owned()), is_there), [""; 0], "{right}");
        }
        for wrong in [
            "    gcc c.c -o c\n",
            "```sh\nora run -- python3 c.py\n```\n",
            "```c\nint main(void) {}\n```\n",
            "```python\nimport a\n```\n",
        ] {
            assert_eq!(faults(&Document::of(wrong.to_owned()), is_there).len(), 1, "{wrong}");
        }
    }
}
