//! Declarations of a C header, by name. The parser reads preprocessed text and suffices for headers that declare types.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// All declarations of a header that have one prefix.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// `typedef` names.
    pub types: BTreeSet<String>,
    /// The types that are enums.
    pub enums: BTreeSet<String>,
    /// Enumerators.
    pub numbers: BTreeSet<String>,
    /// Members of structs and unions: the type, and the path to the member (`record.work`).
    pub members: BTreeSet<(String, String)>,
    /// Macros without parameters.
    pub macros: BTreeSet<String>,
}

impl Declared {
    /// Returns the declarations of a header whose names start with `prefix`.
    ///
    /// # Panics
    /// If the preprocessor can't read the header.
    pub fn of(header: &Path, prefix: &str) -> Self {
        let mut declared = Self::default();
        let text = preprocess(header, &["-P"]);
        // A pragma ends with its line.
        let declarations: Vec<_> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        for statement in split(&declarations.join("\n"), ';') {
            declared.add(statement.trim().trim_start_matches("__extension__").trim(), prefix);
        }
        let macros = preprocess(header, &["-dM"]);
        let names = macros.lines().filter_map(|line| line.strip_prefix("#define ")?.split_whitespace().next());
        declared.macros =
            names.filter(|name| name.starts_with(prefix) && !name.contains('(')).map(str::to_owned).collect();
        declared
    }

    fn add(&mut self, statement: &str, prefix: &str) {
        let Some(body) = statement.strip_prefix("typedef ") else { return };
        let name = declarator(body);
        if !name.starts_with(prefix) {
            return;
        }
        self.types.insert(name.to_owned());
        let Some(inside) = inside(body) else { return };
        if body.starts_with("enum") {
            self.enums.insert(name.to_owned());
            let names = inside.split(',').filter_map(|one| one.split('=').next()).map(str::trim);
            self.numbers.extend(names.filter(|one| !one.is_empty()).map(str::to_owned));
        } else {
            self.add_members(name, "", inside);
        }
    }

    fn add_members(&mut self, owner: &str, way: &str, inside_of_it: &str) {
        for member in split(inside_of_it, ';').into_iter().filter(|member| !member.trim().is_empty()) {
            let way = format!("{way}{}", declarator(member));
            if let Some(nested) = inside(member) {
                self.add_members(owner, &format!("{way}."), nested);
            }
            self.members.insert((owner.to_owned(), way));
        }
    }
}

fn preprocess(header: &Path, flags: &[&str]) -> String {
    let mut command = Command::new("gcc");
    command.args(["-E", "-std=c11", "-x", "c"]).args(flags).arg(header);
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Splits `text` at separators that are not inside braces.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == separator && depth == 0
    });
    parts.collect()
}

/// Text inside the outermost braces.
fn inside(text: &str) -> Option<&str> {
    text.get(text.find('{')? + 1..text.rfind('}')?)
}

/// Name that a declaration (without its `typedef`) introduces.
fn declarator(declaration: &str) -> &str {
    let after = declaration.rsplit('}').next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = match after.split_once("(*") {
        Some((_, name)) => name.split(')').next(),
        None => after.trim_end().rsplit(|c| !is_name(c)).next(),
    };
    name.unwrap_or_default().trim()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has no other way to fail")]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> BTreeSet<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn everything_that_a_header_declares_is_found() {
        let text = "#define x_none 0\n#define x_call(a) a\n#define Y 1\n#define LATER\n\
            #pragma GCC diagnostic push\n\
            typedef unsigned long x_word_t;\ntypedef const char *other_t;\n__extension__ typedef enum x_kind_t { x_a = 1,\n\
            x_b LATER = 2, } x_kind_t;\ntypedef struct { x_kind_t kind; const char *name; union { x_word_t one, *two; \
            struct { int deep; } more; } any; } x_record_t;\ntypedef x_record_t *(*x_find_t) (x_word_t word, int n);\n\
            typedef void (*x_start_t)(void (*inner)(int));\nint x_function(int a);\n";
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, text).unwrap();
        let declared = Declared::of(file.path(), "x_");
        assert_eq!(declared.types, names(&["x_word_t", "x_kind_t", "x_record_t", "x_find_t", "x_start_t"]));
        assert_eq!(declared.enums, names(&["x_kind_t"]));
        assert_eq!(declared.numbers, names(&["x_a", "x_b"]));
        assert_eq!(declared.macros, names(&["x_none"]));
        let ways = ["kind", "name", "any", "any.two", "any.more", "any.more.deep"];
        assert_eq!(declared.members, ways.iter().map(|&way| ("x_record_t".to_owned(), way.to_owned())).collect());
    }
}
