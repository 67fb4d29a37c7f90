//! The tree of tasks: which created which, as in the paper on OpenUH's task extension (figure 1b).

use std::collections::BTreeMap;
use std::fmt::Write;

use terminal::page::Page;
use terminal::quantity::time;

use super::snapshot::{Node, Process, TasksRun};

/// The tasks of the process to show, each below its parent. A parent that is not itself a recorded task is an implicit
/// or initial task, or was created after the record was full.
pub(super) struct Tree<'a> {
    pub(super) process: &'a Process,
    children: BTreeMap<u64, Vec<&'a Node>>,
    /// Parents that are not recorded themselves.
    pub(super) roots: Vec<u64>,
}

impl<'a> Tree<'a> {
    pub(super) fn of(run: &'a TasksRun) -> Option<Self> {
        let process = run.subject()?;
        let mut children: BTreeMap<u64, Vec<&Node>> = BTreeMap::new();
        for node in &process.instances {
            children.entry(node.parent).or_default().push(node);
        }
        let known: std::collections::BTreeSet<u64> = process.instances.iter().map(|node| node.id).collect();
        let roots = children.keys().copied().filter(|id| !known.contains(id)).collect();
        Some(Self { process, children, roots })
    }

    /// The tasks that a task created, in order.
    pub(super) fn children(&self, of: u64) -> &[&'a Node] {
        self.children.get(&of).map_or(&[], Vec::as_slice)
    }
}

/// Number of tasks shown, out of how many.
pub(super) fn extent(of: &Process) -> String {
    let (shown, all) = (of.instances.len() as u64, of.sum(|thread| thread.created));
    if shown < all {
        return format!("the first {shown} of {all} tasks (`--tree-max N` shows more)");
    }
    format!("all {shown} tasks")
}

/// Appends the tree as text.
pub fn render(out: &mut Page, run: &TasksRun) {
    let Some(tree) = Tree::of(run) else { return };
    out.heading(&format!("Task tree, {}:", extent(tree.process)));
    for root in &tree.roots {
        out.text(3, &format!("{root} (implicit task)"));
        below(out, &tree, *root);
    }
    out.blank();
}

/// Appends everything below one task. Not recursive: a chain of tasks may be very long.
fn below(out: &mut Page, tree: &Tree<'_>, root: u64) {
    let mut open = vec![tree.children(root).iter()];
    while let Some(siblings) = open.last_mut() {
        let Some(node) = siblings.next() else {
            open.pop();
            continue;
        };
        let last = siblings.as_slice().is_empty();
        let mut lines = "   ".to_owned();
        let around = open.get(..open.len() - 1).unwrap_or_default();
        // Deeper levels continue at the same column.
        for siblings in around.get(around.len().saturating_sub(DEEPEST)..).unwrap_or_default() {
            lines.push_str(if siblings.as_slice().is_empty() { "   " } else { "|  " });
        }
        lines.push_str(if last { "`- " } else { "|- " });
        out.drawn(&lines, &label(tree.process, node));
        open.push(tree.children(node.id).iter());
    }
}

const DEEPEST: usize = 20;

fn label(process: &Process, node: &Node) -> String {
    let row = |number| process.row_of(number).map_or_else(|| "?".to_owned(), |row| row.to_string());
    let mut text = format!("{}  {}", node.id, node.place.name());
    let mut part = |what: &str, ns: Option<f64>| {
        if let Some(ns) = ns.filter(|ns| *ns > 0.0) {
            let _ = write!(text, ", {what} {}", time(ns));
        }
    };
    part("created in", node.creation_ns);
    part("waited", node.waiting_ns);
    match (node.executor, node.waiting_ns) {
        (None, None) => text += ", never ran",
        (None, Some(_)) => text += ", had not ended",
        (Some(executor), _) => {
            part("ran", Some(node.execution_ns));
            part("suspended", Some(node.suspension_ns));
            part("exited in", node.exit_ns);
            let _ = write!(text, ", on thread {}", row(executor));
            if executor != node.creator {
                let _ = write!(text, " (created on {})", row(node.creator));
            }
        }
    }
    text
}
