//! Rules for every trace of a whole process, for any program.
//!
//! The collector must have been attached from the start, with every event registered.

use std::collections::BTreeMap;

use crate::numbers::{ec, event, state};
use crate::trace::{Record, Trace};

/// Circumstances of a run that change the expectations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances {
    /// A worker's last END_IBAR and BEGIN_IDLE come when it wakes: `ORA_IBAR=late`, or cancellation is on.
    pub late: bool,
    /// The process ended inside a region.
    pub cut_short: bool,
    /// True if the runtime is called for masked regions.
    pub masters: bool,
}

/// Reports each violation of the rules, as a sentence.
pub fn violations(trace: &Trace, how: Circumstances) -> Vec<String> {
    let mut found = Vec::new();
    let regions = regions(trace, &mut found);
    for (tid, records) in trace.threads() {
        let mut walk = Walk { regions: &regions, how, tid, main: trace.main, open: Vec::new(), team: 0, worker: false };
        for record in records {
            if let Err(what) = walk.step(record) {
                found.push(format!("thread {tid}: {}: {what}", describe(record)));
                // Later records of the thread prove nothing after its first violation.
                break;
            }
        }
        walk.end(trace.alive.contains(&tid), &mut found);
    }
    if trace.events().count() == 0 {
        found.push("the trace is empty".to_owned());
    }
    found
}

/// Region, from its FORK to its JOIN.
struct Region {
    parent: u64,
    master: i32,
    forked: u64,
    joined: Option<u64>,
}

/// Checks regions: ids are dense from 1, each has one FORK and at most one JOIN.
fn regions(trace: &Trace, found: &mut Vec<String>) -> BTreeMap<u64, Region> {
    let mut regions: BTreeMap<u64, Region> = BTreeMap::new();
    for record in trace.events() {
        match record.event {
            event::FORK => {
                let region = Region { parent: record.parent, master: record.tid, forked: record.seq, joined: None };
                if regions.insert(record.prid, region).is_some() {
                    found.push(format!("{}: this region was forked before", describe(record)));
                }
            }
            event::JOIN => match regions.get_mut(&record.prid) {
                Some(region) if region.joined.is_none() && region.master == record.tid => {
                    region.joined = Some(record.seq);
                }
                _ => found.push(format!("{}: no such region to join on this thread", describe(record))),
            },
            _ => (),
        }
    }
    let count = u64::try_from(regions.len()).unwrap_or(u64::MAX);
    if !regions.keys().copied().eq(1..=count) {
        found.push(format!("region ids are not dense from 1: {:?}", regions.keys().collect::<Vec<_>>()));
    }
    // Ids are dense from 1 and fewer than 2^32, so that their low halves are distinct as well.
    regions
}

fn describe(r: &Record) -> String {
    format!(
        "#{} {} (state {}, wait {:#x}, prid {}, parent {} ec {})",
        r.seq,
        event::name(r.event),
        r.state,
        r.wait,
        r.prid,
        r.parent,
        r.parent_ec
    )
}

/// Events of one thread, in order.
struct Walk<'a> {
    regions: &'a BTreeMap<u64, Region>,
    how: Circumstances,
    tid: i32,
    main: i32,
    /// FORK and BEGIN events that have not ended yet.
    open: Vec<Record>,
    /// Region in which this thread is a worker.
    team: u64,
    /// True once the thread has been in the pool.
    worker: bool,
}

impl Walk<'_> {
    /// Region that the thread is in, by its events so far.
    fn current(&self) -> u64 {
        self.open.iter().rev().find(|r| r.event == event::FORK).map_or(self.team, |r| r.prid)
    }

    fn step(&mut self, r: &Record) -> Result<(), String> {
        same("CURRENT_PRID's error code", r.prid_ec, ec::OK)?;
        same("STATE's error code", r.state_ec, ec::OK)?;
        match r.event {
            event::FORK => self.fork(r)?,
            event::JOIN => {
                self.close(r, event::FORK)?;
                same("state", r.state, state::OVHD)?;
            }
            event::BEGIN_IDLE => {
                if let Some(open) = self.open.last() {
                    return Err(format!("inside of {}", describe(open)));
                }
                same("state", r.state, state::IDLE)?;
                same("region", r.prid, 0)?;
                self.worker = true;
                self.team = 0;
                self.open.push(*r);
            }
            event::END_IDLE => self.end_idle(r)?,
            begin if event::begins(begin) => {
                same("region", r.prid, self.current())?;
                self.barrier_outside(r)?;
                self.inside(r)?;
                self.open.push(*r);
            }
            end => {
                if let Some(begin) = event::closes(end) {
                    self.close(r, begin)?;
                }
                self.inside(r)?;
            }
        }
        self.parent(r)
    }

    /// Checks a barrier: it is never inside a single or ordered construct of its own region, as those end before it.
    fn barrier_outside(&self, r: &Record) -> Result<(), String> {
        let barrier = matches!(r.event, event::BEGIN_IBAR | event::BEGIN_EBAR);
        let here = self.open.iter().rev().take_while(|o| o.event != event::FORK);
        let around = here.filter(|o| matches!(o.event, event::BEGIN_SINGLE | event::BEGIN_ORDERED)).last();
        match around {
            Some(open) if barrier => Err(format!("inside of {}", describe(open))),
            _ => Ok(()),
        }
    }

    fn fork(&mut self, r: &Record) -> Result<(), String> {
        same("state", r.state, state::OVHD)?;
        same("parent region", r.parent, self.current())?;
        if let Some(open) = self.open.last().filter(|o| o.event == event::BEGIN_IDLE) {
            return Err(format!("inside of {}", describe(open)));
        }
        self.open.push(*r);
        Ok(())
    }

    fn end_idle(&mut self, r: &Record) -> Result<(), String> {
        match self.open.pop() {
            Some(begin) if begin.event == event::BEGIN_IDLE => (),
            other => return Err(format!("ends {:?}", other.map(|o| describe(&o)))),
        }
        same("state", r.state, state::OVHD)?;
        let region = self.regions.get(&r.prid).ok_or("a region that was never forked")?;
        if region.master == self.tid {
            return Err("woken for a region whose master it is".to_owned());
        }
        self.team = r.prid;
        Ok(())
    }

    /// Checks an end event: the top of the stack must be the matching BEGIN (or FORK), of the same region and wait.
    fn close(&mut self, r: &Record, begin: i32) -> Result<(), String> {
        match self.open.pop() {
            Some(open) if open.event == begin => {
                same("region", r.prid, open.prid)?;
                if state::waits(r.state) {
                    same("wait id", r.wait, open.wait)?;
                }
                Ok(())
            }
            other => Err(format!("ends {:?}", other.map(|o| describe(&o)))),
        }
    }

    /// Checks state and region of an event between FORK and JOIN, or between END_IDLE and BEGIN_IDLE.
    fn inside(&self, r: &Record) -> Result<(), String> {
        let in_region = if r.prid == 0 { state::SERIAL } else { state::WORK };
        let wanted = match (r.event + 1) / 2 {
            // `tasks` checks the other rules for tasks.
            _ if r.event > event::BEGIN_ATWT + 1 => r.state,
            3 => state::IBAR,
            4 => state::EBAR,
            5 => state::LKWT,
            6 => state::CTWT,
            7 => state::ODWT,
            8 if self.how.masters => in_region,
            9 | 10 => in_region,
            11 => state::ATWT,
            _ => return Err("is raised although it is not supported".to_owned()),
        };
        same("state", r.state, wanted)?;
        if state::waits(wanted) && r.wait == 0 {
            return Err("has no wait id".to_owned());
        }
        if matches!(wanted, state::IBAR | state::EBAR | state::ODWT) && r.prid == 0 {
            return Err("outside of any region".to_owned());
        }
        let Some(region) = self.regions.get(&r.prid) else {
            return same("region", r.prid, 0);
        };
        if r.seq < region.forked {
            return Err("before its region's FORK".to_owned());
        }
        let late = self.how.late && r.event == event::END_IBAR && region.master != self.tid;
        if region.joined.is_some_and(|joined| r.seq > joined) && !late {
            return Err("after its region's JOIN".to_owned());
        }
        Ok(())
    }

    /// Checks PARENT_PRID, which gives an answer on a team's master, and on the initial thread outside of regions.
    fn parent(&self, r: &Record) -> Result<(), String> {
        let wanted = match self.regions.get(&r.prid) {
            Some(region) if region.master == self.tid => (ec::OK, region.parent),
            None if self.tid == self.main => (ec::OK, 0),
            _ => (ec::THREAD_ERR, 0),
        };
        same("PARENT_PRID's error code", r.parent_ec, wanted.0)?;
        if wanted.0 == ec::OK { same("PARENT_PRID", r.parent, wanted.1) } else { Ok(()) }
    }

    /// Checks a thread's end: a worker's last event is in the pool, or on its way there if it lives until the process exits; every other
    /// thread has closed everything that it opened.
    fn end(&self, alive: bool, found: &mut Vec<String>) {
        let pool = |r: &Record| r.event == event::BEGIN_IDLE || (alive && r.event == event::BEGIN_IBAR);
        let fine = match self.open.as_slice() {
            [] => true,
            [last] => self.worker && pool(last),
            _ => false,
        };
        if !fine && !self.how.cut_short {
            let open: Vec<_> = self.open.iter().map(describe).collect();
            found.push(format!("thread {}: never ended: {}", self.tid, open.join("; ")));
        }
        if self.worker && self.tid == self.main {
            found.push("the initial thread was in the pool".to_owned());
        }
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{what} is {found:?}, not {wanted:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// thread, event, state, region, parent, error code of PARENT_PRID
    type Row = (i32, i32, i32, u64, u64, i32);

    /// A region of two threads with an explicit barrier; thread 1 is the initial thread.
    const GOOD: [Row; 14] = [
        (1, event::FORK, state::OVHD, 1, 0, 0),
        (2, event::BEGIN_IDLE, state::IDLE, 0, 0, 6),
        (2, event::END_IDLE, state::OVHD, 1, 0, 6),
        (1, event::BEGIN_EBAR, state::EBAR, 1, 0, 0),
        (2, event::BEGIN_EBAR, state::EBAR, 1, 0, 6),
        (2, event::BEGIN_EBAR + 1, state::EBAR, 1, 0, 6),
        (1, event::BEGIN_EBAR + 1, state::EBAR, 1, 0, 0),
        (2, event::BEGIN_IBAR, state::IBAR, 1, 0, 6),
        (1, event::BEGIN_IBAR, state::IBAR, 1, 0, 0),
        (1, event::END_IBAR, state::IBAR, 1, 0, 0),
        (2, event::END_IBAR, state::IBAR, 1, 0, 6),
        (2, event::BEGIN_IDLE, state::IDLE, 0, 0, 6),
        (1, event::JOIN, state::OVHD, 1, 0, 0),
        (1, event::BEGIN_LKWT, state::LKWT, 0, 0, 0),
    ];

    fn check(rows: &[Row]) -> Vec<String> {
        let record = |(seq, row): (usize, &Row)| Record {
            seq: seq as u64,
            tid: row.0,
            event: row.1,
            state: row.2,
            prid: row.3,
            parent: row.4,
            parent_ec: row.5,
            wait: if state::waits(row.2) { 9 } else { 0 },
            ..Record::default()
        };
        let records = rows.iter().enumerate().map(record).collect();
        violations(&Trace { main: 1, records, alive: [1, 2].into(), ..Trace::default() }, Circumstances::default())
    }

    /// The good rows without the final lock, and with one change.
    fn changed(change: impl FnOnce(&mut Vec<Row>)) -> Vec<String> {
        let mut rows = GOOD[..13].to_vec();
        change(&mut rows);
        check(&rows)
    }

    #[test]
    fn a_good_trace_breaks_no_rule() {
        assert_eq!(changed(|_| ()), Vec::<String>::new());
    }

    #[test]
    fn whatever_is_changed_breaks_a_rule() {
        // Each row is needed, except for the last BEGIN_IDLE: a worker may vanish on its way to the pool.
        for missing in (0..13).filter(|row| *row != 11) {
            assert_ne!(
                changed(|rows| rows.retain(|r| *r != GOOD[missing])),
                Vec::<String>::new(),
                "without row {missing}"
            );
        }
        for row in 0..13 {
            assert_ne!(changed(|rows| rows[row].2 = state::REDUC), Vec::<String>::new(), "state of row {row}");
            assert_ne!(changed(|rows| rows[row].3 += 1), Vec::<String>::new(), "region of row {row}");
            assert_ne!(changed(|rows| rows[row].5 ^= 6), Vec::<String>::new(), "PARENT_PRID of row {row}");
            assert_ne!(changed(|rows| rows[row].1 = 15), Vec::<String>::new(), "event of row {row}");
        }
        assert_ne!(changed(|rows| rows[0].4 = 1), Vec::<String>::new(), "parent");
        assert_ne!(changed(|rows| rows.swap(0, 2)), Vec::<String>::new(), "FORK after a worker's start");
        assert_ne!(changed(|rows| rows.swap(10, 12)), Vec::<String>::new(), "END_IBAR after JOIN");
        assert_ne!(changed(|rows| rows.swap(6, 8)), Vec::<String>::new(), "crossed pairs");
        assert_ne!(changed(|rows| rows.push(GOOD[13])), Vec::<String>::new(), "an open wait");
        assert_ne!(check(&[]), Vec::<String>::new(), "nothing at all");
    }

    #[test]
    fn a_barrier_inside_of_a_single_breaks_a_rule() {
        let single = |event| (1, event, state::WORK, 1, 0, 0);
        let around = |from: usize, to: usize| {
            changed(|rows| {
                rows.insert(to, single(event::BEGIN_SINGLE + 1));
                rows.insert(from, single(event::BEGIN_SINGLE));
            })
        };
        assert_eq!(around(1, 1), Vec::<String>::new());
        assert_ne!(around(1, 9), Vec::<String>::new());
    }

    #[test]
    fn ids_must_be_dense() {
        let rows = changed(|rows| rows.iter_mut().filter(|r| r.3 == 1).for_each(|r| r.3 = 2));
        assert_eq!(rows.len(), 1, "{rows:?}");
    }
}
