//! Help: the keys, and the letters of the bars.

use ratatui::text::Line;

const TEXT: &str = "
 Keys
   up, down, page up, page down   choose a row; Tab: threads or regions
   Enter        open the chosen region or thread; Esc: back
   s            regions by time, count, mean time, or name
   t            figures of all time, or of the last interval
   p            the next process, where there are several
   space        pause; the program goes on
   ?            this help
   q, Ctrl-C    leave. A program that ora top has started is interrupted

 Bars: a thread's time
   # work       = serial       . idle
   b implicit barrier          B explicit barrier       t taskwait
   l lock       c critical     o ordered                a atomic

 efficiency     work and serial time, as a part of all threads' time
 without one    threads that were ready and had no processor";

/// Lines of the text.
pub(super) fn lines() -> Vec<Line<'static>> {
    TEXT.lines().map(Line::raw).collect()
}
