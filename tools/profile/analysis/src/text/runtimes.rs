//! Table of OpenMP runtimes, if there are several in a process: each has a pool and regions of its own.

use super::Sheet;
use terminal::page::{Column, Table};

impl Sheet<'_, '_> {
    pub(super) fn runtimes(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        let several = report
            .profile
            .processes
            .iter()
            .filter(|process| process.runtimes_used.iter().filter(|one| one.path.is_some()).count() > 1);
        let several: Vec<_> = several.collect();
        if several.is_empty() {
            return;
        }
        self.title("OpenMP runtimes, each with a pool of its own");
        let mut table = Table::new(
            3,
            vec![
                Column::figure(format!("in regions, {unit}"), 15),
                Column::figure("regions met", 13).spare(3),
                Column::figure("workers", 9).spare(2),
                Column::figure(format!("idle, {unit}"), 13).spare(1),
                Column::name("OpenMP runtime"),
            ],
        );
        let alone = report.profile.processes.len() == 1;
        for process in &several {
            for one in &process.runtimes_used {
                let path = one.path.as_deref().unwrap_or("(not seen)");
                let name = if alone { path.to_owned() } else { format!("{}: {path}", process.name()) };
                let figures = [
                    self.time(one.region_ns),
                    one.regions.to_string(),
                    one.workers.to_string(),
                    self.time(one.idle_ns),
                ];
                table.row(figures.into_iter().chain([name]));
            }
        }
        self.out.table(table);
        self.line("in regions: of the threads that began them; regions met: those that samples lie in");
    }
}
