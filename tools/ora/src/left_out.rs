//! Notes at the end of a command about names that were not looked up, because the total work on files of code is limited.

use untrusted::content;

use crate::output::say;
use crate::quantity::count;

/// Prints it once, on stderr.
pub(crate) fn note() {
    if symbols::are_names_missing() {
        say(format_args!(
            "looking up names takes too long: the remaining ones are addresses. Without debug information (`strip -g`) names are looked up \
             faster"
        ));
    }
    let files = content::left_out() as u64;
    if files > 0 {
        say(format_args!(
            "{} not read, since files that other users can change are copied, up to 1 GiB in all: names are missing. Run `ora` as the user \
             whose files these are",
            count(
                files,
                "program or file with debug information was",
                "programs and files with debug information were"
            )
        ));
    }
}
