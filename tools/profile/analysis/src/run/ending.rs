//! How a program ended, in words.

/// End of a program that was recorded.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// What a signal did to it: `died of signal 9 (SIGKILL)`. `None`: it ended by itself.
    pub death: Option<String>,
    /// Advice on that.
    pub advice: Option<&'static str>,
}
