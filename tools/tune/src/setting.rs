//! Setting: environment variables that differ from the user's.

/// Variable that names a file with settings by region.
pub(crate) const BY_REGION: &str = "ORA_TUNE";

/// Variables with their values, in the order in which they were chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting(Vec<(String, String)>);

impl Setting {
    /// True for the unchanged program.
    pub fn is_default(&self) -> bool {
        self.0.is_empty()
    }

    /// True if a file contains settings by region.
    pub fn is_by_region(&self) -> bool {
        self.0.iter().any(|(name, _)| name == BY_REGION)
    }

    /// True if it leaves a program with one thread.
    pub(crate) fn is_of_one_thread(&self) -> bool {
        let is_one = |(name, value): &(String, String)| {
            matches!(name.as_str(), "OMP_NUM_THREADS" | "OMP_THREAD_LIMIT") && value == "1"
        };
        self.0.iter().any(is_one)
    }

    /// Returns this setting with other values for some variables.
    pub(crate) fn with(&self, change: &[(&str, &str)]) -> Self {
        let mut variables = self.0.clone();
        for (name, value) in change {
            match variables.iter_mut().find(|(known, _)| known == name) {
                Some((_, old)) => *old = (*value).to_owned(),
                None => variables.push(((*name).to_owned(), (*value).to_owned())),
            }
        }
        Self(variables)
    }

    /// Replaces one value of variables by another one.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        self.0.iter_mut().filter(|(_, value)| value == from).for_each(|(_, value)| to.clone_into(value));
    }

    /// Variables with their values.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Text that can precede a command in a shell.
    pub(crate) fn text(&self) -> String {
        if self.is_default() {
            return "no changes".to_owned();
        }
        self.words().join(" ")
    }

    /// Each variable as `NAME=value`.
    pub(crate) fn words(&self) -> Vec<String> {
        self.variables().map(|(name, value)| format!("{name}={value}")).collect()
    }
}
