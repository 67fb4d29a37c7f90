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
    /// The next variable of the same bucket.
    next: Link<Variable>,
}

/// One dependence of a task.
#[derive(Debug, Default)]
pub(crate) struct Dependence {
    variable: Link<Variable>,
    kind: AtomicU64,
    next: Link<Dependence>,
}

/// All variables that children of a task depend on: a hash table with chains.
#[derive(Debug)]
pub(crate) struct Variables {
    buckets: [Link<Variable>; BUCKETS],
    /// The record of [`ALL_MEMORY`], once a child depends on it.
    all: Link<Variable>,
}

const BUCKETS: usize = 64;
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
        Self { buckets: [const { Link::none() }; BUCKETS], all: Link::none() }
    }

    /// The bucket of an address.
    fn bucket(&self, address: u64) -> &Link<Variable> {
        let number = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
        let [first, ..] = &self.buckets;
        self.buckets.get(number).unwrap_or(first)
    }

    /// The record of a variable. Only the parent adds records, so no two threads do at a time.
    fn variable(&self, address: u64) -> &'static Variable {
        let bucket = self.bucket(address);
        let mut next = bucket.get();
        while let Some(variable) = next {
            if variable.address.load(Relaxed) == address {
                return variable;
            }
            next = variable.next.get();
        }
        let variable = VARIABLES.take(Variable::default);
        variable.address.store(address, Relaxed);
        [&variable.readers, &variable.set, &variable.writers].into_iter().for_each(Clock::set);
        variable.next.set(bucket.get());
        bucket.set(Some(variable));
        if address == ALL_MEMORY {
            self.all.set(Some(variable));
        }
        variable
    }

    /// Orders the calling context after all children so far that have any dependence.
    fn acquire_all(&self) {
        for bucket in &self.buckets {
            for variable in std::iter::successors(bucket.get(), |variable| variable.next.get()) {
                [&variable.readers, &variable.set, &variable.writers].into_iter().for_each(Clock::acquire);
            }
        }
    }
}

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
    for bucket in &table.buckets {
        while let Some(variable) = bucket.get() {
            bucket.set(variable.next.get());
            VARIABLES.give_back(variable);
        }
    }
    table.all.set(None);
    TABLES.give_back(table);
}
