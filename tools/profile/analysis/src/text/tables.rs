//! Tables of functions, lines, regions, waits and threads.

use super::Sheet;
use crate::describe;
use crate::metrics::Amount;
use crate::profile::ThreadFacts;
use terminal::page::{Column, Table};
use terminal::quantity::percent;

/// Number of places shown for each cause of waits.
const MAX_PLACES_SHOWN: usize = 3;
/// Largest number of processes with rows of their own, unless all rows are requested.
const PROCESSES: usize = 10;
/// Minimum part of its cause for a place to be shown.
const PLACE: f64 = 0.05;

impl Sheet<'_, '_> {
    pub(super) fn functions(&mut self) {
        let report = self.report;
        self.title("Functions, those with the most time of their own first");
        let mut table = self.amounts_table("function");
        for one in report.functions.iter().take(self.rows) {
            let name = report.profile.code.function(one.what).map_or_else(String::new, describe::function);
            table.row(self.amounts(&one.exclusive, &one.inclusive, name));
        }
        self.out.table(table);
        self.more(report.functions.len(), "functions");
    }

    pub(super) fn lines(&mut self) {
        let report = self.report;
        if report.lines.iter().all(|one| one.exclusive.samples == 0) {
            return;
        }
        self.title("Lines");
        let mut table = self.amounts_table("line");
        for one in report.lines.iter().filter(|one| one.exclusive.samples > 0).take(self.rows) {
            table.row(self.amounts(&one.exclusive, &one.inclusive, describe::place(Some(one.what.0), one.what.1)));
        }
        self.out.table(table);
        let with_time = report.lines.iter().filter(|one| one.exclusive.samples > 0).count();
        self.more(with_time, "lines");
    }

    fn amounts_table(&self, what: &str) -> Table {
        let columns = vec![
            Column::figure(format!("own, {}", self.unit.name), 11),
            Column::figure("%", 8),
            Column::figure("work", 11).spare(1),
            Column::figure("wait", 11).spare(2),
            Column::figure("CPU", 11).spare(4),
            Column::figure("with calls", 13).spare(3),
            Column::figure("%", 8).full_name("% with calls").spare(3),
            Column::name(what),
        ];
        Table::new(3, columns)
    }

    fn amounts(&self, own: &Amount, all: &Amount, name: String) -> [String; 8] {
        let [own_ns, work, wait, cpu, with] =
            [own.total_ns(), own.work_ns, own.wait_ns, own.cpu_ns, all.total_ns()].map(|ns| self.time(ns));
        let (share, with_share) = (self.share(own.total_ns()), self.share(all.total_ns()));
        [own_ns, share, work, wait, cpu, with, with_share, name]
    }

    pub(super) fn regions(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        if report.regions.is_empty() {
            return;
        }
        self.title("Parallel regions, without regions inside of them");
        let mut table = Table::new(
            3,
            vec![
                Column::figure(unit, 11),
                Column::figure("%", 8),
                Column::figure("work", 11).spare(6),
                Column::figure("barriers", 11).spare(2),
                Column::figure("uneven", 11).spare(3),
                Column::figure("no CPU", 11).spare(4),
                Column::figure("other waits", 13).spare(5),
                Column::figure("threads", 9).spare(7),
                Column::figure("imbalance %", 13).spare(1),
                Column::name("region"),
            ],
        );
        let mut uncertain = false;
        for region in report.regions.iter().take(self.rows) {
            let own = &region.exclusive;
            let other = own.wait_ns.saturating_sub(region.barriers().total_ns());
            let [all, work, barriers, other] =
                [own.total_ns(), own.work_ns, region.barriers().total_ns(), other].map(|ns| self.time(ns));
            let found = region.imbalance().unwrap_or_default();
            let [uneven, no_processor] = [found.wait_ns, found.no_processor_ns].map(|ns| self.time(ns));
            let imbalance = region.imbalance().map_or_else(
                || "-".to_owned(),
                |imbalance| {
                    uncertain |= !imbalance.certain;
                    format!("{}{}", percent(imbalance.share, 1.0), if imbalance.certain { "" } else { "?" })
                },
            );
            let (share, threads) = (self.share(own.total_ns()), region.threads.len().to_string());
            let name = describe::region(&report.profile.code, region.construct);
            table.row([all, share, work, barriers, uneven, no_processor, other, threads, imbalance, name]);
        }
        self.out.table(table);
        self.more(report.regions.len(), "regions");
        self.line("barriers: for threads that run longer (uneven), for threads without a processor (no CPU), and their own cost");
        self.line("imbalance: (max - mean) / max of the threads' running time, which even shares would save");
        if uncertain {
            self.line("?: short waits, which samples met by chance");
        }
    }

    pub(super) fn waits(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        if report.causes.is_empty() {
            return;
        }
        self.title("Waits by cause, and where");
        let mut table = Table::new(
            3,
            vec![
                Column::figure(unit, 11),
                Column::figure("%", 8),
                Column::figure("% of wait", 11).spare(2),
                Column::figure("CPU", 11).spare(1),
                Column::name("cause"),
            ],
        );
        let total = report.sums.total.wait_ns;
        for cause in &report.causes {
            let ns = cause.amount.total_ns();
            let (time, share, cpu) = (self.time(ns), self.share(ns), self.time(cause.amount.cpu_ns));
            let of_wait = percent(ns as f64, total as f64);
            let awaited = match cause.awaited {
                0 => String::new(),
                1 => "   (always the same one)".to_owned(),
                number => format!("   ({number} different ones)"),
            };
            table.row([time, share, of_wait, cpu, format!("{}{awaited}", cause.state.label())]);
            let worth = cause.places.iter().filter(|(_, amount)| amount.total_ns() as f64 >= PLACE * ns as f64);
            for (place, amount) in worth.take(MAX_PLACES_SHOWN) {
                let (time, share) = (self.time(amount.total_ns()), self.share(amount.total_ns()));
                let place = describe::wait_place(&report.profile.code, *place);
                table.row([time, share, String::new(), String::new(), format!("  {place}")]);
            }
        }
        self.out.table(table);
    }

    pub(super) fn threads(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        let profile = report.profile;
        // The threads with the most time, in the order of their numbers.
        let inside = |(thread, _): &(&ThreadFacts, Amount)| !thread.outside;
        let mut shown: Vec<_> = profile.threads.iter().zip(report.sums.threads(profile)).filter(inside).collect();
        let total = shown.len();
        if total < 2 {
            return;
        }
        self.title("Threads");
        let mut table = Table::new(
            3,
            vec![
                Column::figure(unit, 11),
                Column::figure("work", 11),
                Column::figure("wait", 11),
                Column::figure("CPU", 11).spare(2),
                Column::figure("samples", 10).spare(1),
                Column::name("thread"),
            ],
        );
        shown.sort_by_key(|(_, amount)| std::cmp::Reverse(amount.total_ns()));
        shown.truncate(self.rows);
        shown.sort_by_key(|(thread, _)| (thread.process, thread.number));
        for (thread, amount) in shown {
            let [all, work, wait, cpu] =
                [amount.total_ns(), amount.work_ns, amount.wait_ns, amount.cpu_ns].map(|ns| self.time(ns));
            table.row([all, work, wait, cpu, thread.samples.to_string(), self.thread(thread)]);
        }
        self.out.table(table);
        self.more(total, "threads");
    }

    /// Adds the most expensive of several processes; their sum is in the header.
    pub(super) fn processes(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        let profile = report.profile;
        if profile.processes.len() < 2 {
            return;
        }
        let mut sums = vec![(Amount::default(), 0_usize); profile.processes.len()];
        for (thread, amount) in
            profile.threads.iter().zip(report.sums.threads(profile)).filter(|(thread, _)| !thread.outside)
        {
            if let Some((sum, threads)) = sums.get_mut(thread.process as usize) {
                *sum += amount;
                *threads += 1;
            }
        }
        let mut rows: Vec<_> = profile.processes.iter().zip(sums).filter(|(_, (sum, _))| sum.total_ns() > 0).collect();
        if rows.len() < 2 {
            return;
        }
        rows.sort_by_key(|(_, (amount, _))| std::cmp::Reverse(amount.total_ns()));
        self.title("Processes, those with the most time first");
        let mut table = Table::new(
            3,
            vec![
                Column::figure(unit, 11),
                Column::figure("%", 8),
                Column::figure("work", 11),
                Column::figure("wait", 11),
                Column::figure("CPU", 11).spare(2),
                Column::figure("threads", 9).spare(1),
                Column::name("process"),
            ],
        );
        for (process, (amount, threads)) in rows.iter().take(self.rows.min(PROCESSES)) {
            let [all, work, wait, cpu] =
                [amount.total_ns(), amount.work_ns, amount.wait_ns, amount.cpu_ns].map(|ns| self.time(ns));
            let name = format!("{}: {}", process.name(), process.facts.name());
            table.row([all, self.share(amount.total_ns()), work, wait, cpu, threads.to_string(), name]);
        }
        self.out.table(table);
        if let Some(more) = rows.len().checked_sub(PROCESSES.min(self.rows)).filter(|more| *more > 0) {
            self.line(&format!("and {more} more (`ora report DIR/pid-...` shows one of them, --json has all)"));
        }
        let launchers = profile.processes.iter().filter(|process| process.is_launcher).count();
        if let without @ 1.. = profile.processes.len() - rows.len() - launchers {
            self.line(&format!("and {without} without a sample"));
        }
        if launchers > 0 {
            self.line(&format!("and {launchers} of the launcher, whose time counts nowhere"));
        }
    }

    /// A thread's number, with a distinguishing name of its process.
    fn thread(&self, thread: &ThreadFacts) -> String {
        let processes = &self.report.profile.processes;
        let process = processes.get(thread.process as usize).filter(|_| processes.len() > 1);
        let process = process.map_or_else(String::new, |process| format!("{}, ", process.name()));
        let tid = if thread.tid == 0 { String::new() } else { format!(" (tid {})", thread.tid) };
        format!("{process}{}{tid}", thread.number)
    }

    /// Adds the threads outside of OpenMP, and their functions.
    pub(super) fn outside(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        let outside = &report.outside;
        if outside.threads.is_empty() {
            return;
        }
        self.title("Threads outside of OpenMP: in no team, and in none of the figures above");
        let head = |what| {
            let figures = [(unit, 0), ("CPU", 0), ("samples", 1)];
            let mut columns = figures.map(|(head, spare)| Column::figure(head, 11).spare(spare)).to_vec();
            columns.push(Column::name(what));
            Table::new(3, columns)
        };
        let row = |sheet: &Self, amount: &Amount, name: String| {
            [sheet.time(amount.total_ns()), sheet.time(amount.cpu_ns), amount.samples.to_string(), name]
        };
        let mut table = head("function");
        for (function, amount) in outside.functions.iter().take(self.rows) {
            let name = report.profile.code.function(*function).map_or_else(String::new, describe::function);
            table.row(row(self, amount, name));
        }
        self.out.table(table);
        self.more(outside.functions.len(), "functions");
        self.out.blank();
        let mut table = head("thread");
        for (thread, amount) in outside.threads.iter().take(self.rows) {
            let mut name =
                report.profile.threads.get(*thread as usize).map_or_else(String::new, |thread| self.thread(thread));
            let pool = outside.begun_in.get(thread).and_then(|begun_in| report.profile.code.function(*begun_in));
            name += &pool.map_or_else(String::new, |pool| format!("   in {}", describe::function(pool)));
            table.row(row(self, amount, name));
        }
        self.out.table(table);
        self.more(outside.threads.len(), "threads");
    }
}
