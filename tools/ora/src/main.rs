//! The command `ora`: runs a program under the library, and shows what its threads did.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod args;
mod call_sites;
mod closed_streams;
mod counted_run;
mod decode;
mod demo;
mod diff;
mod doctor;
mod dump;
mod exit;
mod file_limit;
mod hang;
mod launch;
mod launcher;
mod left_out;
mod libraries;
mod live;
mod out_of_memory;
mod output;
mod output_file;
mod output_name;
mod page_file;
mod pages;
mod preload;
mod profile;
mod program;
mod race;
mod recording_folder;
mod report;
mod report_lines;
mod run;
mod sampled_run;
mod scale;
mod scratch;
mod signals;
mod stand_in;
mod stat;
mod stopping;
mod tasks;
mod time_limit;
mod top;
mod trace;
mod tune;
mod validate;

use std::process::ExitCode;

use ::linking::{image, scope};
use ::terminal::quantity;

fn main() -> ExitCode {
    if let Some(code) = untrusted::acting::serve::if_asked(std::env::args_os()) {
        return code;
    }
    out_of_memory::install();
    let outcome = match args::parse().command {
        args::Task::Stat(args) => stat::stat(&args),
        args::Task::Profile(args) => profile::profile(&args),
        args::Task::Trace(args) => trace::trace(&args),
        args::Task::Tasks(args) => tasks::tasks(&args),
        args::Task::Report(args) => report::report(&args),
        args::Task::Diff(args) => diff::diff(&args),
        args::Task::Scale(args) => scale::scale(&args),
        args::Task::Tune(args) => tune::tune(&args),
        args::Task::Run(args) => run::run(&args),
        args::Task::Attach(args) => live::attach(&args),
        args::Task::Top(args) => top::top(&args),
        args::Task::Hang(args) => hang::hang(&args),
        args::Task::Doctor(args) => doctor::doctor(&args),
        args::Task::Decode(args) => decode::decode(&args),
        args::Task::Race(args) => race::race(&args),
        args::Task::Validate(args) => validate::validate(&args),
        args::Task::Demo => demo::demo(),
        args::Task::Pages(args) => pages::pages(&args),
        args::Task::StandIns(args) => stand_in::install(&args.folder).map(|()| exit::Exit::Code(0)),
    };
    left_out::note();
    match outcome {
        Ok(exit) => exit::repeat(exit),
        Err(error) => exit::complain(&error),
    }
}
