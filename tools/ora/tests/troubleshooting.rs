//! The page about troubleshooting has each message of the commands and the library, and no others.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it stands")]

use std::fs;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprCall, ExprMethodCall, ExprPath, FieldValue, ItemFn, ItemMod, LitByteStr, LitStr, Macro,
    Member, Meta, Token,
};

/// Folders of the programs that users run, and folders and files below these whose messages users don't read.
const ROOTS: [&str; 3] = ["ora", "ompt-core", "tools"];
const OTHERS: [&str; 5] = ["tests", "tests.rs", "dev", "examples", "sdk"];
/// Files whose errors become codes for tools, and the folder of the log of `OMP_TOOL_VERBOSE_INIT`.
const CODES: [&str; 4] = ["ora/src/wire.rs", "ora/src/request.rs", "ora/src/session.rs", "ompt-core/src/v5"];
/// A file that has nothing but messages.
const WHOLE: &str = "tools/stat/analysis/src/hints.rs";
/// Functions, macros and methods whose arguments are messages.
const FUNCTIONS: [&str; 6] = ["say", "plain", "counted", "note", "failure", "trouble"];
const MACROS: [&str; 4] = ["bail", "ensure", "anyhow", "eprintln"];
const METHODS: [&str; 4] = ["context", "with_context", "say", "trouble"];
/// Methods of `ora doctor`: a reason is the third argument, the remedy the fourth.
const REASONS: [&str; 2] = ["reason", "likely"];
/// The list of notes, and the field of an error that is printed.
const LIST: &str = "notes";
const FIELD: &str = "message";
/// Fewest words of a message; shorter texts are parts of one.
const MIN_WORDS: usize = 4;
/// Beginnings of lines that say what a command has done, as it should.
const RESULTS: [&str; 5] =
    ["the profile is in", "the trace is in", "most expensive region", "look at it", "{} took longer"];
/// A function that chooses the singular or the plural of a noun: its first form is on the page.
const COUNT: &str = "count";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All sources of the programs that users run, by their paths in the checkout.
fn sources() -> Vec<(PathBuf, String)> {
    let (mut folders, mut found) = (ROOTS.map(PathBuf::from).to_vec(), Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap().map(Result::unwrap) {
            let path = folder.join(entry.file_name());
            if OTHERS.iter().any(|other| path.ends_with(other)) {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(root().join(&path)).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

/// The messages of the page: the first cells of its tables' rows, without the marks of code.
fn rows(page: &str) -> Vec<String> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    // Code with backquotes in it has two of them around it.
    let plain =
        |cell: &str| cell.strip_prefix("` ").and_then(|cell| cell.strip_suffix(" `")).unwrap_or(cell).to_owned();
    cells.map(|(cell, _)| plain(cell)).collect()
}

fn page() -> Vec<String> {
    rows(&fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap())
}

/// True if a row of the page shows a message: its parts, in their order.
fn has(row: &str, parts: &[String]) -> bool {
    let mut rest = row;
    parts.iter().all(|part| {
        let after = rest.split_once(part.as_str()).map(|(_, after)| after);
        rest = after.unwrap_or_default();
        after.is_some()
    })
}

/// The text of a message between the values that it is formatted with.
fn parts(message: &str) -> Vec<String> {
    let escaped = message.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let texts = escaped.split(['{', '}']).step_by(2).map(|text| text.replace('\u{1}', "{").replace('\u{2}', "}"));
    let parts = texts.map(|text| text.trim().trim_start_matches("ora: ").trim_end_matches(['.', ':', ',']).to_owned());
    parts.filter(|part| part.chars().filter(|c| c.is_alphabetic()).count() > 1).collect()
}

/// The messages of a source. `is_whole`: all its texts are such.
fn messages(source: &str, is_whole: bool) -> Vec<String> {
    let mut found = Found { messages: Vec::new(), is_message: is_whole };
    found.visit_file(&syn::parse_file(source).unwrap());
    let is_long = |message: &String| parts(message).join(" ").split_whitespace().count() >= MIN_WORDS;
    found.messages.retain(|message| is_long(message) && !RESULTS.iter().any(|result| message.starts_with(result)));
    found.messages
}

/// Walk of a source.
struct Found {
    messages: Vec<String>,
    /// True in the arguments of what prints a message.
    is_message: bool,
}

impl Found {
    /// Takes the texts in an expression for messages.
    fn take(&mut self, expression: &Expr) {
        let before = std::mem::replace(&mut self.is_message, true);
        self.visit_expr(expression);
        self.is_message = before;
    }

    fn push(&mut self, text: &str) {
        if self.is_message {
            self.messages.push(text.trim_end().to_owned());
        }
    }
}

/// The last name of a path.
fn name(path: &syn::Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

impl Visit<'_> for Found {
    fn visit_item_mod(&mut self, item: &ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_expr_call(&mut self, call: &ExprCall) {
        let is_message = matches!(&*call.func, Expr::Path(ExprPath { path, .. }) if FUNCTIONS.contains(&&*name(path)));
        let is_count = matches!(&*call.func, Expr::Path(ExprPath { path, .. }) if name(path) == COUNT);
        for argument in call.args.iter().take(if is_count { 2 } else { usize::MAX }) {
            if is_message { self.take(argument) } else { self.visit_expr(argument) }
        }
    }

    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        let method = call.method.to_string();
        let is_list = || matches!(&*call.receiver, Expr::Path(ExprPath { path, .. }) if name(path) == LIST);
        let is_message = METHODS.contains(&&*method) || matches!(&*method, "push" | "extend") && is_list();
        self.visit_expr(&call.receiver);
        for (place, argument) in call.args.iter().enumerate() {
            if is_message || REASONS.contains(&&*method) && place == 2 {
                self.take(argument)
            } else {
                self.visit_expr(argument)
            }
        }
    }

    fn visit_macro(&mut self, item: &Macro) {
        let name = name(&item.path);
        let Ok(arguments) = item.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) else { return };
        // The first argument of `ensure!` is a condition.
        for argument in arguments.iter().skip(usize::from(name == "ensure")) {
            if MACROS.contains(&&*name) { self.take(argument) } else { self.visit_expr(argument) }
        }
    }

    fn visit_attribute(&mut self, attribute: &Attribute) {
        // What follows the text is no expression of Rust's: `.0.shown()`.
        if let Meta::List(list) = &attribute.meta
            && list.path.is_ident("error")
            && let Some(first) = list.tokens.clone().into_iter().next()
            && let Ok(text) = syn::parse_str::<LitStr>(&first.to_string())
        {
            self.messages.push(text.value());
        }
    }

    fn visit_field_value(&mut self, field: &FieldValue) {
        match &field.member {
            Member::Named(member) if member == FIELD => self.take(&field.expr),
            _ => self.visit_expr(&field.expr),
        }
    }

    fn visit_lit_str(&mut self, text: &LitStr) {
        self.push(&text.value());
    }

    fn visit_lit_byte_str(&mut self, text: &LitByteStr) {
        self.push(&String::from_utf8_lossy(&text.value()));
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn each_message_of_the_sources_is_on_the_page() {
    let rows = page();
    let mut sources = sources();
    sources.retain(|(path, _)| !CODES.iter().any(|codes| path.starts_with(codes)));
    let messages = sources.iter().flat_map(|(path, text)| messages(text, path.ends_with(WHOLE)));
    let is_shown = |message: &str| {
        let parts = parts(message);
        rows.iter().any(|row| has(row, &parts))
    };
    let lacking: Vec<_> = messages.filter(|message| !is_shown(message)).collect();
    assert!(lacking.is_empty(), "docs/troubleshooting.md lacks {lacking:#?}");
}

#[test]
fn each_message_on_the_page_is_in_the_sources() {
    let text = sources().into_iter().map(|(_, text)| text).collect::<String>();
    // Strings that span several lines are joined.
    let text: String = text.split("\\\n").map(str::trim_start).collect();
    let rows = page();
    assert!(rows.len() > 30, "{rows:#?}");
    for message in rows {
        // A variable part is a placeholder, or an argument of its own.
        for part in message.trim_start_matches("ora: ").split('…').map(str::trim).filter(|part| part.len() > 3) {
            assert!(text.contains(part), "nothing says `{part}` of `{message}`");
        }
    }
}

#[test]
fn messages_are_found_by_what_prints_them() {
    let source = r#"
        #[derive(Error)]
        enum E { #[error("there is no {0} here", .0.shown())] No(u8) }
        fn f() {
            bail!("{} is a file, not a folder", path);
            ensure!(text == "not a message, really", "the list is too long");
            g().with_context(|| format!("cannot write the file {name}"))?;
            findings.reason("id", Effect::None, "it is linked statically".to_owned(), "not this one here");
            say(&[b"ora: the system refuses memory\n"]);
            notes.push(if a { "it is one that ended" } else { "one that still runs" });
            other.push("not this one here");
            println!("nor this one here");
            Failure { code: 1, message: format!("no such {}: try {{a}}", b) }
        }
        #[cfg(test)]
        mod tests { fn t() { bail!("not this one here") } }
    "#;
    let expected = [
        "there is no {0} here",
        "{} is a file, not a folder",
        "the list is too long",
        "cannot write the file {name}",
        "it is linked statically",
        "ora: the system refuses memory",
        "it is one that ended",
        "one that still runs",
        "no such {}: try {{a}}",
    ];
    assert_eq!(messages(source, false), expected);
    assert_eq!(messages("const A: &str = \"one of all these\";", true), ["one of all these"]);
}

#[test]
fn a_message_is_on_the_page_with_its_values_left_out() {
    let rows = rows("| message | why |\n| `no such …: try {a}` | x |\n| `` end `b` of it `` | x |\n");
    assert_eq!(rows, ["no such …: try {a}", "end `b` of it"]);
    let on_page = |message| rows.iter().any(|row| has(row, &parts(message)));
    assert!(on_page("no such {}: try {{a}}.") && on_page("ora: end `b` of {that}\n"));
    assert!(!on_page("try {a}: no such {b}") && !on_page("end of it"));
}
