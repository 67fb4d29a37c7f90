//! The tree of tasks as a graph for Graphviz.

use std::collections::BTreeMap;
use std::fmt::Write;

use symbols::Place;
use terminal::quantity::time;

use super::snapshot::TasksRun;
use super::tree::{self, Tree};

/// Light colours, so that black text can be read on them.
const COLOURS: [&str; 8] = ["#cfe2f3", "#fce5cd", "#d9ead3", "#ead1dc", "#fff2cc", "#d0e0e3", "#f4cccc", "#d9d2e9"];

/// `dot -Tsvg` makes a picture of it.
pub fn graph(run: &TasksRun) -> String {
    let mut out = String::from("digraph tasks {\n");
    let Some(tree) = Tree::of(run) else { return out + "}\n" };
    let _ =
        writeln!(out, "  label={};", quoted(&format!("{}: {}", tree.process.who.command, tree::extent(tree.process))));
    let _ = writeln!(out, "  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];");
    for root in &tree.roots {
        let _ = writeln!(out, "  t{root} [label=\"{root}\\nimplicit\", shape=ellipse, fillcolor=white];");
    }
    let mut colours: BTreeMap<&Place, &str> = BTreeMap::new();
    for node in &tree.process.instances {
        let next = COLOURS.get(colours.len() % COLOURS.len()).copied().unwrap_or("white");
        let colour = *colours.entry(&node.place).or_insert(next);
        let ran = match node.executor {
            Some(executor) => {
                let row = tree.process.row_of(executor).map_or_else(|| "?".to_owned(), |row| row.to_string());
                format!("{} on thread {row}", time(node.execution_ns))
            }
            None => "not executed".to_owned(),
        };
        let label = quoted(&format!("{}\n{}\n{ran}", node.id, node.place.name()));
        let _ = writeln!(out, "  t{} [label={label}, fillcolor=\"{colour}\"];", node.id);
    }
    for node in &tree.process.instances {
        let _ = writeln!(out, "  t{} -> t{};", node.parent, node.id);
    }
    out + "}\n"
}

/// A string of the DOT language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_name_has_in_it_stays_in_its_string() {
        assert_eq!(quoted("a \"b\" \\ c\nd"), "\"a \\\"b\\\" \\\\ c\\nd\"");
    }
}
