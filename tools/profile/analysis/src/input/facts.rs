//! Facts about a process, from its profile's info records.

use profile_format::info;

use terminal::printable::command_line;
use untrusted::figure;

/// The process and the settings of its profile, as far as they are recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Process id.
    pub pid: Option<u32>,
    /// Process id of the parent.
    pub parent: Option<u32>,
    /// Arguments of the command line.
    pub command: Vec<String>,
    /// Path of the executable.
    pub executable: Option<String>,
    /// Name of the machine.
    pub host: Option<String>,
    /// Rank that a launcher gave the process.
    pub rank: Option<u32>,
    /// Number of ranks.
    pub ranks: Option<u32>,
    /// The clock that samples count: `cpu` or `wall`.
    pub clock: Option<String>,
    /// Source of the signals: `perf` or `timer`.
    pub timer: Option<String>,
    /// Requested number of samples a second and thread.
    pub rate: Option<u32>,
    /// Number of processors that the process might use.
    pub processors: Option<u32>,
    /// Number of processors that control groups grant it.
    pub quota: Option<f64>,
    /// In a trace: time of all threads on processors, and ready without one, in nanoseconds.
    pub scheduled_ns: Option<[u64; 2]>,
    /// In a trace: names of the recorded kinds of events.
    pub events: Vec<String>,
    /// OpenMP's variables in its environment: names and values.
    pub environment: Vec<(String, String)>,
    /// Start of the process by CLOCK_REALTIME, in nanoseconds.
    pub began_real_ns: Option<u64>,
    /// Start of the process by CLOCK_MONOTONIC, in nanoseconds.
    pub began_ns: Option<u64>,
    /// CPU time of the process before the profile began, in nanoseconds.
    pub start_up_ns: Option<u64>,
    /// True if a runtime of the program's own, which reports itself (`ora_embed.h`), has begun a region.
    pub has_own_runtime: bool,
    /// Answer to START, or `none`.
    pub session: Option<String>,
    /// Paths of the collector's and the library's objects.
    pub own: Vec<String>,
    /// Errors during the recording, as sentences.
    pub errors: Vec<String>,
}

impl Facts {
    /// Stores a fact; unknown keys are ignored.
    pub(super) fn take(&mut self, key: &[u8], value: &[u8]) {
        let text = || Some(String::from_utf8_lossy(value).into_owned());
        match key {
            info::PID => self.pid = number(value),
            info::PARENT => self.parent = number(value),
            info::COMMAND => self.command = words(value),
            info::EXECUTABLE => self.executable = text(),
            info::HOST => self.host = text(),
            info::RANK => self.rank = number(value),
            info::RANKS => self.ranks = number(value),
            info::CLOCK => self.clock = text(),
            info::TIMER => self.timer = text(),
            info::PROCESSORS => self.processors = number(value).filter(|number| *number > 0),
            info::QUOTA => self.quota = number(value).filter(|quota: &f64| quota.is_finite()),
            info::SCHEDULED => self.scheduled_ns = pair(value),
            info::ENVIRONMENT => self.environment = words(value).iter().filter_map(|word| variable(word)).collect(),
            info::EVENTS => {
                self.events = text().map_or_else(Vec::new, |text| text.split(',').map(str::to_owned).collect());
            }
            info::RATE => self.rate = number(value),
            info::BEGAN_REAL => self.began_real_ns = number(value),
            info::BEGAN => self.began_ns = number(value),
            info::START_UP => self.start_up_ns = number(value).map(figure::bounded),
            info::SESSION => self.session = text(),
            info::RUNTIME => self.has_own_runtime = value == info::OWN_RUNTIME,
            info::OWN => self.own = words(value),
            info::TROUBLE => self.errors.extend(text().filter(|error| !self.errors.contains(error))),
            _ => {}
        }
    }

    /// The command line, or another name of the process.
    pub fn name(&self) -> String {
        match (self.command.is_empty(), &self.executable) {
            (false, _) => command_line(&self.command),
            (true, Some(executable)) => executable.clone(),
            (true, None) => "(unknown)".to_owned(),
        }
    }

    /// Converts a time of CLOCK_MONOTONIC to CLOCK_REALTIME, which machines share.
    pub fn real_ns(&self, monotonic_ns: u64) -> u64 {
        match (self.began_real_ns, self.began_ns) {
            (Some(real), Some(began)) => real.saturating_sub(began).saturating_add(monotonic_ns),
            _ => monotonic_ns,
        }
    }
}

fn variable(word: &str) -> Option<(String, String)> {
    word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
}

fn number<T: std::str::FromStr>(value: &[u8]) -> Option<T> {
    std::str::from_utf8(value).ok()?.trim().parse().ok()
}

fn pair(value: &[u8]) -> Option<[u64; 2]> {
    let mut numbers = value.split(|byte| *byte == b' ').map(number);
    Some([numbers.next()??, numbers.next()??])
}

/// Splits words that are each terminated by a zero byte.
fn words(value: &[u8]) -> Vec<String> {
    let value = value.strip_suffix(&[0]).unwrap_or(value);
    if value.is_empty() {
        return Vec::new();
    }
    value.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_arguments_are_words_too() {
        assert_eq!(words(b"./a\0\0b\0"), ["./a", "", "b"]);
        assert_eq!(words(b""), [""; 0]);
    }

    #[test]
    fn a_command_line_with_line_breaks_is_one_line() {
        let command = vec!["python3".to_owned(), "-c".to_owned(), "import a\na.b()".to_owned()];
        assert_eq!(Facts { command, ..Facts::default() }.name(), "python3 -c $'import a\\na.b()'");
    }

    #[test]
    fn times_of_scheduling_are_two_numbers() {
        let mut facts = Facts::default();
        for (text, read) in [(&b"17 4"[..], Some([17, 4])), (b"17", None), (b"17 x", None)] {
            facts.take(info::SCHEDULED, text);
            assert_eq!(facts.scheduled_ns, read);
        }
    }

    #[test]
    fn an_error_that_is_reported_twice_is_one() {
        let mut facts = Facts::default();
        [&b"full"[..], b"full", b"other"].iter().for_each(|error| facts.take(info::TROUBLE, error));
        assert_eq!(facts.errors, ["full", "other"]);
    }
}
