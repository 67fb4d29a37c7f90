//! How a program ended, in words.

/// End of a program that was recorded.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// The effect of a signal: `died of signal 9 (SIGKILL)`. `None` if the program ended by itself.
    pub death: Option<String>,
    /// Advice on that death.
    pub advice: Option<&'static str>,
}
