//! The header of a file.

/// Version of a file as recorded. Changed with every change of the layout.
pub const VERSION: u64 = 1;
/// Version of a packed file.
pub const PACKED_VERSION: u64 = 2;
/// First word of the file: "ORA TRCE".
pub const MAGIC: u64 = u64::from_le_bytes(*b"ORA TRCE");
/// Chunks start at multiples of this number of bytes, and have a multiple of it as their length.
pub const GRAIN: usize = 4096;
/// Number of words of the file's header, large enough for additions without a new version.
pub const HEADER_WORDS: usize = 512;
/// Maximum number of windows of time that a flight recorder stores.
pub const WINDOWS: usize = 128;

/// Indices of the header's words.
pub mod place {
    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// [`VERSION`](super::VERSION), or [`PACKED_VERSION`](super::PACKED_VERSION).
    pub const VERSION: usize = 1;
    /// Number of the [`super::Clock`].
    pub const CLOCK: usize = 2;
    /// Process id.
    pub const PROCESS: usize = 3;
    /// The start in ticks, and by CLOCK_MONOTONIC and CLOCK_REALTIME in nanoseconds.
    pub const BEGIN: [usize; 3] = [4, 5, 6];
    /// A moment soon after the start, in ticks and by CLOCK_MONOTONIC in nanoseconds.
    pub const SECOND: [usize; 2] = [300, 301];
    /// CLOCK_MONOTONIC in nanoseconds when the process loaded the recorder, before code of its own ran; 0 if it was already running, or is a
    /// forked child.
    pub const LOADED: usize = 302;
    /// The end in ticks and by CLOCK_MONOTONIC in nanoseconds; 0 if the process was killed, or is still running.
    pub const END: [usize; 2] = [7, 8];
    /// Number of events that could not be stored.
    pub const LOST: usize = 9;
    /// Error number of the failure that ended the recording; 0 if there was none.
    pub const ERROR: usize = 10;
    /// Number of events that a ring has overwritten.
    pub const OVERWRITTEN: usize = 11;
    /// Length of time that a flight recorder keeps, in nanoseconds; 0 for the whole run.
    pub const LAST: usize = 12;
    /// Length from which a flight recorder keeps a region, in nanoseconds; 0 if it keeps none.
    pub const SLOW: usize = 13;
    /// Number of [`WINDOWS`]; there may have been more than fit.
    pub const WINDOW_COUNT: usize = 14;
    /// 1 if the process was already running when the recording started.
    pub const ATTACHED: usize = 15;
    /// Start and end of each window, by CLOCK_MONOTONIC in nanoseconds.
    pub const WINDOWS: usize = 16;
}

/// Clock of a file's ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u64)]
pub enum Clock {
    /// CLOCK_MONOTONIC: a tick is a nanosecond.
    #[default]
    Monotonic = 0,
    /// The processor's counter.
    Counter = 1,
}

/// One moment by two clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// By the file's clock.
    pub tick: u64,
    /// By CLOCK_MONOTONIC, in nanoseconds.
    pub ns: u64,
}

/// Header before a file's chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// True if the chunks are packed.
    pub is_packed: bool,
    /// Clock of the events.
    pub clock: Clock,
    /// Process id.
    pub process: u64,
    /// Start of the recording.
    pub begin: Pair,
    /// CLOCK_MONOTONIC when the process loaded the recorder, in nanoseconds; 0 if that is not known.
    pub loaded_ns: u64,
    /// CLOCK_REALTIME at the start, in nanoseconds.
    pub begin_real_ns: u64,
    /// A moment soon after the start; `None` if the process was killed before.
    pub second: Option<Pair>,
    /// End of the recording; `None` if the process was killed, or is still running.
    pub end: Option<Pair>,
    /// Number of events that could not be stored.
    pub lost: u64,
    /// Error number of the failure that ended the recording; 0 if there was none.
    pub error: u64,
    /// Number of events that a ring has overwritten.
    pub overwritten: u64,
    /// Length of time that a flight recorder keeps, in nanoseconds; 0 for the whole run.
    pub last_ns: u64,
    /// Length from which a region is kept, in nanoseconds; 0 if none is.
    pub slow_ns: u64,
    /// True if the process was already running when the recording started.
    pub is_attached: bool,
    /// Number of regions that took at least `slow_ns`; the first [`WINDOWS`] have a window.
    pub slow_regions: u64,
    /// Start and end of windows of time that are kept, by CLOCK_MONOTONIC in nanoseconds.
    pub windows: Vec<[u64; 2]>,
}

impl Header {
    /// The header of these words; `Err` has the version of an unsupported one, 0 if it is not a header at all.
    pub(crate) fn of(words: &[u64]) -> Result<Self, u64> {
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        if word(place::MAGIC) != MAGIC {
            return Err(0);
        }
        let is_packed = word(place::VERSION) == PACKED_VERSION;
        if word(place::VERSION) != VERSION && !is_packed {
            return Err(word(place::VERSION).max(1));
        }
        let clock = if word(place::CLOCK) == Clock::Counter as u64 { Clock::Counter } else { Clock::Monotonic };
        let [begin, begin_ns, begin_real_ns] = place::BEGIN.map(word);
        let moment = |places: [usize; 2]| {
            let [tick, ns] = places.map(word);
            (ns != 0).then_some(Pair { tick, ns })
        };
        let count = usize::try_from(word(place::WINDOW_COUNT)).unwrap_or(WINDOWS).min(WINDOWS);
        let windows = words.get(place::WINDOWS..).unwrap_or_default().as_chunks().0;
        Ok(Self {
            is_packed,
            clock,
            process: word(place::PROCESS),
            begin: Pair { tick: begin, ns: begin_ns },
            loaded_ns: word(place::LOADED),
            begin_real_ns,
            second: moment(place::SECOND),
            end: moment(place::END),
            lost: word(place::LOST),
            error: word(place::ERROR),
            overwritten: word(place::OVERWRITTEN),
            last_ns: word(place::LAST),
            slow_ns: word(place::SLOW),
            is_attached: word(place::ATTACHED) == 1,
            slow_regions: word(place::WINDOW_COUNT),
            windows: windows.iter().take(count).filter(|window| window[1] != 0).copied().collect(),
        })
    }
}

const _: () = assert!(place::WINDOWS + 2 * WINDOWS <= HEADER_WORDS && HEADER_WORDS * 8 == GRAIN);
