//! Groups of tasks: lists of nodes, from which complete ones are removed by the next thread that walks them.

use super::node::Node;
use super::pool::{Linked, Pool};
use system::memory::Link;

/// A node's membership of a group.
pub(super) struct Member {
    node: Link<Node>,
    next: Link<Member>,
}

system::zeroed!(Member { node, next });

impl Linked for Member {
    fn next(&self) -> &Link<Self> {
        &self.next
    }
}

/// Pool of the members of groups.
pub(super) struct Groups(Pool<Member>);

system::zeroed!(Groups { 0 });

impl Groups {
    /// Adds the node to the group, if there is memory for it.
    pub(super) fn join(&self, group: &Link<Member>, node: &'static Node) {
        if let Some(member) = self.0.take() {
            node.own();
            member.node.set(Some(node));
            member.next.set(group.get());
            group.set(Some(member));
        }
    }

    /// Removes all members of the group.
    pub(super) fn clear(&self, group: &Link<Member>, unused: &Pool<Node>) {
        while let Some(member) = group.get() {
            self.drop_first(group, member, unused);
        }
    }

    /// Removes complete members; true if any others are left.
    pub(super) fn sweep(&self, group: &'static Link<Member>, unused: &Pool<Node>) -> bool {
        self.each(group, unused).for_each(drop);
        group.get().is_some()
    }

    /// All members that are not complete. Complete ones are removed.
    pub(super) fn each(
        &self,
        group: &'static Link<Member>,
        unused: &Pool<Node>,
    ) -> impl Iterator<Item = &'static Node> {
        let mut at = group;
        std::iter::from_fn(move || {
            loop {
                let member = at.get()?;
                match member.node.get().filter(|node| !node.is_over()) {
                    Some(node) => {
                        at = &member.next;
                        return Some(node);
                    }
                    None => self.drop_first(at, member, unused),
                }
            }
        })
    }

    fn drop_first(&self, group: &Link<Member>, member: &'static Member, unused: &Pool<Node>) {
        group.set(member.next.get());
        if let Some(node) = member.node.get().filter(|node| node.disown()) {
            unused.put(node);
        }
        member.node.set(None);
        self.0.put(member);
    }
}
