//! Dependences between the children of a task (OpenMP 5.1, 2.19.11).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ompt_tool::{DependenceKind, Pool};
use system::memory::Link;

use crate::clock::Clock;

/// A variable that children of one task depend on.
#[derive(Debug, Default)]
pub(crate) struct Variable {
    address: AtomicU64,
    /// Ends of the children with an `in` dependence on it, with `inoutset`, and with others.
    readers: Clock,
    set: Clock,
    writers: Clock,
    /// More variables of the same bucket, by the next bits of their hashes.
    branches: [Link<Variable>; BRANCHES],
    /// The variable that was added before.
    older: Link<Variable>,
}

/// One dependence of a task.
#[derive(Debug, Default)]
pub(crate) struct Dependence {
    variable: Link<Variable>,
    kind: AtomicU64,
    next: Link<Dependence>,
}

/// All variables that children of a task depend on: a hash table, each of whose buckets is a tree.
#[derive(Debug)]
pub(crate) struct Variables {
    buckets: [Link<Variable>; BUCKETS],
    newest: Link<Variable>,
    /// The record of [`ALL_MEMORY`], once a child depends on it.
    all: Link<Variable>,
}

/// Powers of two, whose logarithms are the numbers of bits of a hash that choose one.
const BUCKETS: usize = 64;
const BRANCHES: usize = 4;
const READS: u64 = 0;
const WRITES: u64 = 1;
const SET: u64 = 2;

static VARIABLES: Pool<Variable> = Pool::new();
static TABLES: Pool<Variables> = Pool::new();
static DEPENDENCES: Pool<Dependence> = Pool::new();

/// Represents all of memory (`omp_all_memory`) among addresses.
const ALL_MEMORY: u64 = u64::MAX;

/// Records a dependence of a new task, among the variables of its parent's children. The calling context is the
/// parent's.
pub(crate) fn note(own: &Link<Dependence>, variables: &Link<Variables>, variable: u64, kind: DependenceKind) {
    let (address, kind) = match kind {
        DependenceKind::In => (variable, READS),
        DependenceKind::Out | DependenceKind::Inout | DependenceKind::Mutexinoutset => (variable, WRITES),
        DependenceKind::Inoutset => (variable, SET),
        DependenceKind::OutAllMemory | DependenceKind::InoutAllMemory => (ALL_MEMORY, WRITES),
        _ => return,
    };
    let table = variables.get().unwrap_or_else(|| {
        let table = TABLES.take(Variables::empty);
        variables.set(Some(table));
        table
    });
    let dependence = DEPENDENCES.take(Dependence::default);
    dependence.variable.set(Some(table.variable(address)));
    dependence.kind.store(kind, Relaxed);
    dependence.next.set(own.get());
    own.set(Some(dependence));
}

impl Variables {
    fn empty() -> Self {
        Self { buckets: [const { Link::none() }; BUCKETS], newest: Link::none(), all: Link::none() }
    }

    /// The record of a variable. Only the parent adds records, so no two threads do at a time.
    fn variable(&self, address: u64) -> &'static Variable {
        // A bijection: the bits of two addresses differ somewhere.
        let mut hash = address.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut place = choice(&self.buckets, &mut hash);
        while let Some(variable) = place.get() {
            if variable.address.load(Relaxed) == address {
                return variable;
            }
            place = choice(&variable.branches, &mut hash);
        }
        let variable = VARIABLES.take(Variable::default);
        variable.address.store(address, Relaxed);
        [&variable.readers, &variable.set, &variable.writers].into_iter().for_each(Clock::set);
        variable.branches.iter().for_each(|branch| branch.set(None));
        variable.older.set(self.newest.get());
        self.newest.set(Some(variable));
        place.set(Some(variable));
        if address == ALL_MEMORY {
            self.all.set(Some(variable));
        }
        variable
    }

    /// All variables, the newest first.
    fn all(&self) -> impl Iterator<Item = &'static Variable> {
        std::iter::successors(self.newest.get(), |variable| variable.older.get())
    }

    /// Orders the calling context after all children so far that have any dependence.
    fn acquire_all(&self) {
        for variable in self.all() {
            [&variable.readers, &variable.set, &variable.writers].into_iter().for_each(Clock::acquire);
        }
    }
}

/// The link that the first bits of a hash choose, which are moved to its end.
fn choice<'a, const COUNT: usize>(links: &'a [Link<Variable>; COUNT], hash: &mut u64) -> &'a Link<Variable> {
    let bits = COUNT.trailing_zeros();
    *hash = hash.rotate_left(bits);
    let number = usize::try_from(*hash % COUNT as u64).unwrap_or(0);
    links.get(number).unwrap_or(&NONE)
}

static NONE: Link<Variable> = Link::none();

/// All dependences of a task.
fn of(own: &Link<Dependence>) -> impl Iterator<Item = &'static Dependence> {
    std::iter::successors(own.get(), |dependence| dependence.next.get())
}

/// Orders the calling context, which is the task's, after the tasks that it had to wait for. `table`: the variables of its parent's
/// children.
pub(crate) fn acquire(own: &Link<Dependence>, table: Option<&Variables>) {
    if let Some(all) = table.and_then(|table| table.all.get()) {
        all.writers.acquire();
    }
    for dependence in of(own) {
        let Some(variable) = dependence.variable.get() else { continue };
        if variable.address.load(Relaxed) == ALL_MEMORY {
            table.inspect(|table| table.acquire_all());
        }
        let kind = dependence.kind.load(Relaxed);
        variable.writers.acquire();
        if kind != READS {
            variable.readers.acquire();
        }
        if kind != SET {
            variable.set.acquire();
        }
    }
}

/// The task is complete, in the calling context: tasks that wait for it are ordered after it.
pub(crate) fn release(own: &Link<Dependence>) {
    for dependence in of(own) {
        let Some(variable) = dependence.variable.get() else { continue };
        match dependence.kind.load(Relaxed) {
            READS => variable.readers.join(),
            SET => variable.set.join(),
            _ => variable.writers.join(),
        }
    }
}

/// Forgets the task's dependences. Its end has been reported.
pub(crate) fn forget(own: &Link<Dependence>) {
    while let Some(dependence) = own.get() {
        own.set(dependence.next.get());
        DEPENDENCES.give_back(dependence);
    }
}

/// Forgets the variables that a task's children depended on. All of them have ended.
pub(crate) fn forget_variables(variables: &Link<Variables>) {
    let Some(table) = variables.take() else { return };
    while let Some(variable) = table.newest.get() {
        table.newest.set(variable.older.get());
        VARIABLES.give_back(variable);
    }
    table.buckets.iter().for_each(|bucket| bucket.set(None));
    table.all.set(None);
    TABLES.give_back(table);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_among_many_is_found_in_few_steps_until_all_are_forgotten() {
        let variables = Link::none();
        let table = TABLES.take(Variables::empty);
        variables.set(Some(table));
        let addresses = || (0..100_000).map(|number| 0x5000 + number);
        let records: Vec<_> = addresses().map(|address| std::ptr::from_ref(table.variable(address))).collect();
        assert!(addresses().zip(&records).all(|(address, record)| std::ptr::eq(table.variable(address), *record)));
        assert_eq!(table.all().count(), records.len());
        fn depth(link: &Link<Variable>) -> usize {
            link.get().map_or(0, |variable| 1 + variable.branches.iter().map(depth).max().unwrap_or(0))
        }
        let deepest = table.buckets.iter().map(depth).max().unwrap();
        assert!(deepest < 20, "{deepest}");
        forget_variables(&variables);
        assert!(
            variables.get().is_none() && table.all().count() == 0 && table.buckets.iter().all(|it| it.get().is_none())
        );
    }
}
