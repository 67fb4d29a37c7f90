//! Functions that ThreadSanitizer calls about its reports: [`on_report`] before it prints one, while it holds its own
//! locks.
#![allow(unsafe_code)] // functions that ThreadSanitizer calls

use system::errno::Errno;

use crate::report::{self, Handle};
use crate::sanitizer::is_first;
use crate::settings::settings;
use crate::{calls, file, silence, verdict};

/// Prepares what a report itself must not do. Returns false if reports can't be read.
pub(crate) fn set_up() -> bool {
    report::can_be_read() && silence::set_up()
}

/// True if ThreadSanitizer asks this library about its reports: false if a library with such functions comes first,
/// such as libtsan itself.
pub(crate) fn is_asked() -> bool {
    is_first(c"_ZN6__tsan8OnReportEPKNS_10ReportDescEb")
}

/// `bool __tsan::OnReport (ReportDesc const *, bool)`: true drops the report.
#[unsafe(export_name = "_ZN6__tsan8OnReportEPKNS_10ReportDescEb")]
unsafe extern "C" fn on_report(report: Handle, suppressed: bool) -> bool {
    if suppressed || !calls::is_on() || !report::can_be_read() {
        return suppressed;
    }
    let errno = Errno::save();
    let Some(found) = report::read(report) else {
        silence::begin_other();
        errno.restore();
        return suppressed;
    };
    let is_shown = verdict::judge(&found);
    if is_shown {
        silence::begin_ours();
    }
    errno.restore();
    !is_shown
}

/// Called when the text of a report has been written.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_on_report(_: Handle) {
    let errno = Errno::save();
    silence::end();
    errno.restore();
}

/// `bool __tsan::OnFinalize (bool)`: true ends the process with ThreadSanitizer's exit code.
#[unsafe(export_name = "_ZN6__tsan10OnFinalizeEb")]
unsafe extern "C" fn on_finalize(failed: bool) -> bool {
    if !calls::is_on() {
        return failed;
    }
    silence::finish();
    settings().fails && file::has_sure_races()
}
