//! Cycles of threads, each of which waits for one certain other, and paths to threads that wait for tasks.

use std::collections::{BTreeMap, VecDeque};

use crate::graph::Graph;

/// The shortest cycle through the first thread of each set of threads that all wait for each other. That thread comes first.
pub(crate) fn cycles(graph: &Graph) -> Vec<Vec<usize>> {
    let components = components(graph);
    let component = |thread: usize| graph.group_of.get(thread).and_then(|group| components.get(*group));
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (group, own) in graph.groups.iter().zip(&components) {
        for next in group.certain().filter(|next| component(*next) == Some(own)) {
            first.entry(*own).and_modify(|first| *first = next.min(*first)).or_insert(next);
        }
    }
    let mut starts: Vec<usize> = first.into_values().collect();
    starts.sort_unstable();
    let mut paths = Paths::of(graph);
    let cycle = |start| paths.search(start, |next| component(next) == component(start));
    starts.into_iter().filter_map(cycle).collect()
}

/// Strongly connected component of each group, by Tarjan's algorithm: an edge leads to the group of a thread that has to continue.
fn components(graph: &Graph) -> Vec<usize> {
    /// Above all numbers of visits.
    const FINISHED: usize = usize::MAX;
    let group = |thread| graph.group_of.get(thread).copied();
    let edges = |at: usize| graph.groups.get(at).into_iter().flat_map(|it| it.certain()).filter_map(group);
    let mut components = vec![0; graph.groups.len()];
    // Number of the first visit that is reached from each group and unfinished; 0 if the group has not been visited.
    let mut lowest = components.clone();
    let (mut visits, mut unfinished, mut path) = (0, Vec::new(), Vec::new());
    for start in 0..graph.groups.len() {
        let mut new = Some(start);
        loop {
            if let Some(new) = new.take().filter(|new| lowest.get(*new) == Some(&0)) {
                visits += 1;
                set(&mut lowest, new, visits);
                unfinished.push(new);
                path.push((new, visits, edges(new)));
            }
            let Some((now, visit, rest)) = path.last_mut() else { break };
            let (now, visit) = (*now, *visit);
            match rest.next() {
                Some(next) if lowest.get(next) == Some(&0) => new = Some(next),
                Some(next) => lower(&mut lowest, now, next),
                None => {
                    path.pop();
                    if lowest.get(now) == Some(&visit) {
                        let from = unfinished.iter().rposition(|it| *it == now).unwrap_or_default();
                        for member in unfinished.drain(from..) {
                            set(&mut components, member, visit);
                            set(&mut lowest, member, FINISHED);
                        }
                    } else if let Some((outer, ..)) = path.last() {
                        lower(&mut lowest, *outer, now);
                    }
                }
            }
        }
    }
    components
}

fn set(numbers: &mut [usize], at: usize, number: usize) {
    numbers.get_mut(at).into_iter().for_each(|it| *it = number);
}

/// Lowers a number to another one, if that is less.
fn lower(numbers: &mut [usize], at: usize, to: usize) {
    if let Some(to) = numbers.get(to).copied() {
        numbers.get_mut(at).into_iter().for_each(|it| *it = to.min(*it));
    }
}

/// Shortest paths along certain waits, by breadth-first searches. What one of them has reached, a later one leaves out.
#[derive(Debug)]
pub(crate) struct Paths<'g> {
    graph: &'g Graph,
    /// The thread before each one; a thread that a search started from has itself.
    before: Vec<Option<usize>>,
    /// True for groups whose waits were followed.
    followed: Vec<bool>,
}

impl<'g> Paths<'g> {
    /// No paths so far.
    fn of(graph: &'g Graph) -> Self {
        Self { graph, before: vec![None; graph.group_of.len()], followed: vec![false; graph.groups.len()] }
    }

    /// The shortest paths from these threads. One to a thread that several reach starts from the first of them.
    pub(crate) fn from(graph: &'g Graph, starts: impl Iterator<Item = usize>) -> Self {
        let mut paths = Self::of(graph);
        for start in starts {
            paths.search(start, |next| next != start);
        }
        paths
    }

    /// Follows the waits of a thread, to threads that are `wanted` only. Returns the shortest cycle back to the start, if that is wanted.
    fn search(&mut self, start: usize, wanted: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
        self.before.get_mut(start)?.get_or_insert(start);
        let mut queue = VecDeque::from([start]);
        while let Some(now) = queue.pop_front() {
            let group = *self.graph.group_of.get(now)?;
            // All threads of a group wait for the same ones.
            if std::mem::replace(self.followed.get_mut(group)?, true) {
                continue;
            }
            for next in self.graph.groups.get(group)?.certain().filter(|next| wanted(*next)) {
                if next == start {
                    return Some(self.up_to(now));
                }
                if let Some(slot @ None) = self.before.get_mut(next) {
                    *slot = Some(now);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// The path to a thread, without it. `None` if there is none.
    pub(crate) fn to(&self, end: usize) -> Option<Vec<usize>> {
        self.before.get(end).copied().flatten().filter(|before| *before != end).map(|before| self.up_to(before))
    }

    /// The path that ends with a thread.
    fn up_to(&self, end: usize) -> Vec<usize> {
        let before = |now: &usize| self.before.get(*now).copied().flatten().filter(|before| before != now);
        let mut path: Vec<usize> = std::iter::successors(Some(end), before).collect();
        path.reverse();
        path
    }
}
