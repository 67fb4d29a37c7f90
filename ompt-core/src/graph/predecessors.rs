//! Reports the unfinished tasks that a new one depends on.

use super::node::{self, Held, Node};
use super::{Deferral, Graph};
use crate::detail::{Dependence, Detail};
use crate::event::Event;
use crate::explicit_task::Tasks;
use crate::task::Task;
use system::memory::page;

impl Tasks {
    /// Reports the unfinished tasks that the new one, which is at its final address, depends on. Called on the thread
    /// that creates it. The resulting node has to be [ended](Node::end) when the task is complete, before that is
    /// reported.
    #[cold]
    pub fn report_predecessors(
        self,
        task: &'static Task,
        list: impl Iterator<Item = Dependence> + Clone,
        deferral: Deferral,
    ) -> Option<&'static Node> {
        let graph = self.thread.siblings.get().or_else(|| self.make_siblings())?;
        let _inside = graph.enter()?;
        // As many as may be added, so that the table stays as long as its variables are in use. Before that: new ones have no tasks yet.
        list.clone().for_each(|_| graph.places.sweep(&graph.groups, &graph.nodes));
        let node = match deferral {
            Deferral::Deferred(event) => Some(node::take(&graph.nodes, task, event)?),
            Deferral::Undeferred => None,
        };
        for one in list.clone() {
            if let Some(place) = graph.place(task, one.variable, node.is_some()) {
                place.note(task.id(), one.kind);
            }
        }
        for one in list {
            let place = graph.places.find(task.parent(), one.variable);
            let Some((place, kind)) = place.and_then(|place| Some((place, place.take_noted(task.id())?))) else {
                continue;
            };
            let last = graph.groups.each(place.predecessors(kind), &graph.nodes);
            for before in last.filter(|before| before.is_news_to(task.id())) {
                if let Some(held) = Held::new(before) {
                    let detail = Detail::TaskDependence { first: held.task(), second: task };
                    self.thread.raise_with(Event::TaskDependence, &detail);
                }
            }
            if let Some(node) = node {
                place.add(kind, node, &graph.groups, &graph.nodes);
            }
        }
        node
    }

    #[cold]
    fn make_siblings(self) -> Option<&'static Graph> {
        let graph = page::<Graph>()?.first()?;
        self.thread.siblings.set(Some(graph));
        Some(graph)
    }
}
