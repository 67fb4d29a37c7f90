//! Part of the figures that the user has chosen to see. Keys change it; it is independent of the terminal.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use stat_analysis::stat::regions::{Key, Region};
use stat_analysis::stat::snapshot::Thread;

use super::sample::{Pair, Sample};

/// Order of the regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sort {
    /// Most time first.
    #[default]
    Time,
    /// Most regions first.
    Count,
    /// Longest mean first.
    Mean,
    /// By name.
    Name,
}

/// Part of the screen in which the arrow keys move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Focus {
    /// The regions.
    #[default]
    Regions,
    /// The threads.
    Threads,
}

/// Subject of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Subject {
    /// The process, with its threads and regions.
    #[default]
    Process,
    /// One region.
    Region(Key),
    /// One thread, by its slot.
    Thread(u32),
    /// The keys.
    Help,
}

/// Effect of a key on the calling program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Only draw the screen again.
    Show,
    /// Leave.
    Quit,
    /// Go back from the process to the list.
    Back,
}

/// State of the user's choice.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    pub(super) subject: Subject,
    pub(super) focus: Focus,
    pub(super) sort: Sort,
    /// Show the figures of the whole time instead of the last interval.
    pub(super) total: bool,
    pub(super) paused: bool,
    /// Indexes of the chosen process, thread and region among those that are shown.
    pub(super) process: usize,
    pub(super) thread: usize,
    pub(super) region: usize,
}

impl View {
    /// Process that is shown; `None` if there is none yet.
    pub(super) fn pair<'a>(&self, sample: &'a Sample) -> Option<&'a Pair> {
        sample.processes.get(self.process.min(sample.processes.len().saturating_sub(1)))
    }

    /// Living threads of the process, oldest first.
    pub(super) fn threads<'a>(&self, pair: &'a Pair) -> Vec<&'a Thread> {
        pair.of(self.total).threads.iter().filter(|thread| super::load::lives(thread)).collect()
    }

    /// Active regions of the process, in the chosen order.
    pub(super) fn regions<'a>(&self, pair: &'a Pair) -> Vec<&'a Region> {
        let both = pair.interval.regions.iter().zip(&pair.total.regions);
        let is_open = |total: &Region| total.sums.count > total.sums.ended;
        let is_active = |region: &Region| region.sums.count + region.sums.ended > 0;
        let shown = both.filter(|(interval, total)| self.total || is_active(interval) || is_open(total));
        let mut shown: Vec<&Region> =
            shown.map(|(interval, total)| if self.total { total } else { interval }).collect();
        match self.sort {
            Sort::Time => shown.sort_by_key(|region| std::cmp::Reverse(region.sums.total_ns)),
            Sort::Count => shown.sort_by_key(|region| std::cmp::Reverse(region.sums.count)),
            Sort::Mean => shown.sort_by(|one, other| other.sums.mean_ns().total_cmp(&one.sums.mean_ns())),
            Sort::Name => shown.sort_by_key(|region| region.place.name()),
        }
        shown
    }

    /// Handles a key.
    pub(super) fn key(&mut self, key: KeyEvent, sample: &Sample) -> Wish {
        if quits(key) {
            return Wish::Quit;
        }
        match key.code {
            _ if key.modifiers.contains(KeyModifiers::CONTROL) => {}
            KeyCode::Esc | KeyCode::Backspace | KeyCode::Left => {
                if self.subject == Subject::Process {
                    return Wish::Back;
                }
                self.subject = Subject::Process;
            }
            KeyCode::Char('?' | 'h') if self.subject == Subject::Help => self.subject = Subject::Process,
            KeyCode::Char('?' | 'h') => self.subject = Subject::Help,
            KeyCode::Char('t') => self.total = !self.total,
            KeyCode::Char(' ') => self.paused = !self.paused,
            KeyCode::Char('s') => self.sort = self.sort.next(),
            KeyCode::Char('p') => self.process = (self.process + 1) % sample.processes.len().max(1),
            _ if self.subject != Subject::Process => {}
            KeyCode::Tab => self.focus = if self.focus == Focus::Regions { Focus::Threads } else { Focus::Regions },
            KeyCode::Enter | KeyCode::Right => self.open(sample),
            code => self.step(code, sample),
        }
        Wish::Show
    }

    fn open(&mut self, sample: &Sample) {
        let Some(pair) = self.pair(sample) else { return };
        let subject = match self.focus {
            Focus::Regions => self.regions(pair).get(self.region).map(|region| Subject::Region(region.key())),
            Focus::Threads => self.threads(pair).get(self.thread).map(|thread| Subject::Thread(thread.slot)),
        };
        if let Some(subject) = subject {
            self.subject = subject;
        }
    }

    fn step(&mut self, code: KeyCode, sample: &Sample) {
        let Some(pair) = self.pair(sample) else { return };
        let (place, rows) = match self.focus {
            Focus::Regions => (self.region, self.regions(pair).len()),
            Focus::Threads => (self.thread, self.threads(pair).len()),
        };
        let place = moved(code, place, rows);
        match self.focus {
            Focus::Regions => self.region = place,
            Focus::Threads => self.thread = place,
        }
    }
}

/// True if the user wants to leave.
pub(super) fn quits(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('q') => true,
        KeyCode::Char('c') => key.modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}

/// Index in a list after a key.
pub(super) fn moved(code: KeyCode, place: usize, rows: usize) -> usize {
    const PAGE: usize = 10;
    let place = match code {
        KeyCode::Up | KeyCode::Char('k') => place.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => place + 1,
        KeyCode::PageUp => place.saturating_sub(PAGE),
        KeyCode::PageDown => place + PAGE,
        KeyCode::Home => 0,
        KeyCode::End => rows,
        _ => place,
    };
    place.min(rows.saturating_sub(1))
}

impl Sort {
    fn next(self) -> Self {
        match self {
            Self::Time => Self::Count,
            Self::Count => Self::Mean,
            Self::Mean => Self::Name,
            Self::Name => Self::Time,
        }
    }

    /// Word for the screen.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Count => "count",
            Self::Mean => "mean",
            Self::Name => "name",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(view: &mut View, code: KeyCode) -> Wish {
        view.key(KeyEvent::new(code, KeyModifiers::NONE), &Sample::default())
    }

    #[test]
    fn keys_of_a_screen_without_figures_do_no_harm() {
        let mut view = View::default();
        for code in [KeyCode::Enter, KeyCode::Down, KeyCode::Tab, KeyCode::Up, KeyCode::Char('p'), KeyCode::Enter] {
            assert_eq!(press(&mut view, code), Wish::Show);
        }
        assert_eq!(view.subject, Subject::Process);
    }

    #[test]
    fn the_way_back_leads_from_the_help_to_the_process_and_from_there_out() {
        let mut view = View::default();
        press(&mut view, KeyCode::Char('?'));
        assert_eq!(view.subject, Subject::Help);
        assert_eq!(press(&mut view, KeyCode::Esc), Wish::Show);
        assert_eq!(press(&mut view, KeyCode::Esc), Wish::Back);
        let quit = view.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), &Sample::default());
        assert_eq!((quit, press(&mut view, KeyCode::Char('q'))), (Wish::Quit, Wish::Quit));
    }

    #[test]
    fn the_order_goes_round_and_places_stay_within_the_list() {
        let mut view = View::default();
        let names = [0; 4].map(|_| {
            press(&mut view, KeyCode::Char('s'));
            view.sort.name()
        });
        assert_eq!(names, ["count", "mean", "name", "time"]);
        assert_eq!(
            [(KeyCode::Down, 2), (KeyCode::End, 0), (KeyCode::Up, 0)].map(|(code, at)| moved(code, at, 3)),
            [2, 2, 0]
        );
        assert_eq!(moved(KeyCode::PageDown, 0, 0), 0);
    }
}
