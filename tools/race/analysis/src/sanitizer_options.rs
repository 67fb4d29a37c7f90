//! ThreadSanitizer's options: those of the user are kept, except for the few that would leave nothing to report.

/// Options that suit OpenMP, unless the user has others.
const DEFAULTS: [(&str, &str); 5] = [
    // Accesses of libraries that are not instrumented, such as the runtime itself.
    ("ignore_noninstrumented_modules", "1"),
    // A second at the end of each process.
    ("atexit_sleep_ms", "0"),
    // The runtime's threads live until the process ends.
    ("report_thread_leaks", "0"),
    // A report that is left out, or is of a possible race, would hide all others about the same memory.
    ("suppress_equal_addresses", "0"),
    // Fibers count as threads: otherwise a forked child would die when it starts a region.
    ("die_after_fork", "0"),
];

/// Options without which races could not be found, and what another value does.
const NEEDED: [(&str, &str, &str); 1] = [("report_bugs", "1", "ThreadSanitizer finds nothing")];

/// A value of `TSAN_OPTIONS`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The variable's value.
    pub(crate) value: String,
    /// Notes for the user about their options.
    pub(crate) notes: Vec<String>,
}

/// Our options with the user's; if an option occurs twice, the last one counts.
pub(crate) fn with_users(users: &str) -> Options {
    let set = options(users);
    let value_of = |name: &str| set.iter().rev().find(|(of, _)| of == name).map(|(_, value)| value.as_str());
    let mut words: Vec<String> = DEFAULTS.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut notes = Vec::new();
    if !users.trim().is_empty() {
        words.push(users.trim().to_owned());
    }
    for (name, value, otherwise) in NEEDED {
        if value_of(name).is_some_and(|users| !is_on(users)) {
            words.push(format!("{name}={value}"));
            notes.push(format!("{name} of TSAN_OPTIONS is overridden: with another value {otherwise}"));
        }
    }
    if value_of("ignore_noninstrumented_modules").is_some_and(|value| !is_on(value)) {
        notes.push(
            "TSAN_OPTIONS has ignore_noninstrumented_modules=0: accesses that the OpenMP runtime itself orders are \
             also reported"
                .to_owned(),
        );
    }
    Options { value: words.join(" "), notes }
}

/// True if a value sets this option.
pub(crate) fn sets(users: &str, option: &str) -> bool {
    options(users).iter().any(|(name, _)| name == option)
}

fn is_on(value: &str) -> bool {
    ["1", "true", "yes"].contains(&value)
}

/// The options in a value, as sanitizers read them: separated by blanks, commas or colons; a value may be quoted.
fn options(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    let separates = |c: char| c.is_whitespace() || c == ',' || c == ':';
    loop {
        rest = rest.trim_start_matches(separates);
        let Some((name, value)) = rest.split_once('=') else { return found };
        let quote = value.chars().next().filter(|c| ['"', '\''].contains(c));
        let (value, behind) = match quote {
            Some(quote) => value.get(1..).unwrap_or_default().split_once(quote).unwrap_or((value, "")),
            None => value.split_at(value.find(separates).unwrap_or(value.len())),
        };
        found.push((name.to_owned(), value.to_owned()));
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_options_come_behind_ours_and_win() {
        let ours = "ignore_noninstrumented_modules=1 atexit_sleep_ms=0 report_thread_leaks=0 suppress_equal_addresses=0 \
                    die_after_fork=0";
        assert_eq!(with_users(""), Options { value: ours.to_owned(), notes: Vec::new() });
        let users = with_users("history_size=7:atexit_sleep_ms=5");
        assert_eq!(users.value, format!("{ours} history_size=7:atexit_sleep_ms=5"));
        assert_eq!(users.notes, Vec::<String>::new());
    }

    #[test]
    fn an_option_without_which_nothing_is_found_is_set_and_told() {
        let users = with_users("report_bugs=0,exitcode=3");
        assert!(users.value.ends_with(" report_bugs=0,exitcode=3 report_bugs=1"), "{}", users.value);
        assert!(users.notes.iter().any(|note| note.contains("report_bugs")), "{:?}", users.notes);
        assert_eq!(with_users("report_bugs=1").notes, Vec::<String>::new());
        assert_eq!(with_users("ignore_noninstrumented_modules=0").notes.len(), 1);
    }

    #[test]
    fn options_are_read_as_sanitizers_read_them() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            options(" a=1:b='x y',c=\"z:=\"\td=\n"),
            [pair("a", "1"), pair("b", "x y"), pair("c", "z:="), pair("d", "")]
        );
        assert_eq!(options("nothing"), []);
    }
}
