//! The tables: functions, lines, regions, waits, threads.

use super::Sheet;
use crate::metrics::Amount;
use crate::profile::ThreadFacts;
use crate::quantity::percent;
use crate::words;

/// Places shown of each cause of waits.
const PLACES: usize = 3;
/// Places below this part of their cause are not shown.
const PLACE: f64 = 0.05;

impl Sheet<'_, '_> {
    pub(super) fn functions(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        self.title("Functions, those with the most time of their own first");
        self.amounts_head(unit, "function");
        for one in report.functions.iter().take(self.rows) {
            let name = report.profile.code.function(one.what).map_or_else(String::new, words::function);
            self.amounts(&one.exclusive, &one.inclusive, &name);
        }
        self.more(report.functions.len(), "functions");
    }

    pub(super) fn lines(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        if report.lines.iter().all(|one| one.exclusive.samples == 0) {
            return;
        }
        self.title("Lines");
        self.amounts_head(unit, "line");
        for one in report.lines.iter().filter(|one| one.exclusive.samples > 0).take(self.rows) {
            self.amounts(&one.exclusive, &one.inclusive, &words::place(Some(one.what.0), one.what.1));
        }
        let with_time = report.lines.iter().filter(|one| one.exclusive.samples > 0).count();
        self.more(with_time, "lines");
    }

    fn amounts_head(&mut self, unit: &str, what: &str) {
        self.line(&format!(
            "{:>11}{:>8}{:>11}{:>11}{:>11}{:>13}{:>8}   {what}",
            format!("own, {unit}"),
            "%",
            "work",
            "wait",
            "CPU",
            "with calls",
            "%"
        ));
    }

    fn amounts(&mut self, own: &Amount, all: &Amount, name: &str) {
        let [own_ns, work, wait, cpu, with] =
            [own.total_ns(), own.work_ns, own.wait_ns, own.cpu_ns, all.total_ns()].map(|ns| self.time(ns));
        let (share, with_share) = (self.share(own.total_ns()), self.share(all.total_ns()));
        self.line(&format!("{own_ns:>11}{share:>8}{work:>11}{wait:>11}{cpu:>11}{with:>13}{with_share:>8}   {name}"));
    }

    pub(super) fn regions(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        if report.regions.is_empty() {
            return;
        }
        self.title("Parallel regions, without regions inside of them");
        self.line(&format!(
            "{:>11}{:>8}{:>11}{:>11}{:>11}{:>11}{:>13}{:>9}{:>13}   region",
            unit, "%", "work", "barriers", "uneven", "no CPU", "other waits", "threads", "imbalance, %"
        ));
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
            let (share, threads) = (self.share(own.total_ns()), region.threads.len());
            let name = words::region(&report.profile.code, region.construct);
            self.line(&format!(
                "{all:>11}{share:>8}{work:>11}{barriers:>11}{uneven:>11}{no_processor:>11}{other:>13}{threads:>9}{imbalance:>13}   {name}"
            ));
        }
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
        self.line(&format!("{:>11}{:>8}{:>11}{:>11}   cause", unit, "%", "% of wait", "CPU"));
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
            self.line(&format!("{time:>11}{share:>8}{of_wait:>11}{cpu:>11}   {}{awaited}", cause.state.label()));
            let worth = cause.places.iter().filter(|(_, amount)| amount.total_ns() as f64 >= PLACE * ns as f64);
            for (place, amount) in worth.take(PLACES) {
                let (time, share) = (self.time(amount.total_ns()), self.share(amount.total_ns()));
                let place = words::wait_place(&report.profile.code, *place);
                self.line(&format!("{time:>11}{share:>8}{:>22}     {place}", ""));
            }
        }
    }

    pub(super) fn threads(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        let profile = report.profile;
        // Those with the most time, in their order.
        let inside = |(thread, _): &(&ThreadFacts, Amount)| !thread.outside;
        let mut shown: Vec<_> = profile.threads.iter().zip(report.sums.threads(profile)).filter(inside).collect();
        let total = shown.len();
        if total < 2 {
            return;
        }
        self.title("Threads");
        self.line(&format!("{:>11}{:>11}{:>11}{:>11}{:>10}   thread", unit, "work", "wait", "CPU", "samples"));
        shown.sort_by_key(|(_, amount)| std::cmp::Reverse(amount.total_ns()));
        shown.truncate(self.rows);
        shown.sort_by_key(|(thread, _)| (thread.process, thread.number));
        for (thread, amount) in shown {
            let [all, work, wait, cpu] =
                [amount.total_ns(), amount.work_ns, amount.wait_ns, amount.cpu_ns].map(|ns| self.time(ns));
            let name = self.thread(thread);
            self.line(&format!("{all:>11}{work:>11}{wait:>11}{cpu:>11}{:>10}   {name}", thread.samples));
        }
        self.more(total, "threads");
    }

    /// A thread's number, with what tells its process from others.
    fn thread(&self, thread: &ThreadFacts) -> String {
        let processes = &self.report.profile.processes;
        let facts = processes.get(thread.process as usize).map(|process| &process.facts);
        let process = match facts.filter(|_| processes.len() > 1).map(|facts| (facts.rank, facts.pid)) {
            Some((Some(rank), _)) => format!("rank {rank}, "),
            Some((None, Some(pid))) => format!("process {pid}, "),
            _ => String::new(),
        };
        let tid = if thread.tid == 0 { String::new() } else { format!(" (tid {})", thread.tid) };
        format!("{process}{}{tid}", thread.number)
    }

    /// Threads outside of OpenMP, and what they do.
    pub(super) fn outside(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        let outside = &report.outside;
        if outside.threads.is_empty() {
            return;
        }
        self.title("Threads outside of OpenMP: in no team, and in none of the figures above");
        self.line(&format!("{:>11}{:>11}{:>11}   function", unit, "CPU", "samples"));
        for (function, amount) in outside.functions.iter().take(self.rows) {
            let name = report.profile.code.function(*function).map_or_else(String::new, words::function);
            let (time, cpu) = (self.time(amount.total_ns()), self.time(amount.cpu_ns));
            self.line(&format!("{time:>11}{cpu:>11}{:>11}   {name}", amount.samples));
        }
        self.more(outside.functions.len(), "functions");
        self.line("");
        self.line(&format!("{:>11}{:>11}{:>11}   thread", unit, "CPU", "samples"));
        for (thread, amount) in outside.threads.iter().take(self.rows) {
            let mut name =
                report.profile.threads.get(*thread as usize).map_or_else(String::new, |thread| self.thread(thread));
            let pool = outside.begun_in.get(thread).and_then(|begun_in| report.profile.code.function(*begun_in));
            name += &pool.map_or_else(String::new, |pool| format!("   in {}", words::function(pool)));
            let (time, cpu) = (self.time(amount.total_ns()), self.time(amount.cpu_ns));
            self.line(&format!("{time:>11}{cpu:>11}{:>11}   {name}", amount.samples));
        }
        self.more(outside.threads.len(), "threads");
    }
}
