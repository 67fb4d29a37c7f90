//! The file with settings by region that stays.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use terminal::printable::Shown;

use super::by_region::{ByRegion, Value};
use super::search::Found;

/// Its usual name.
pub(super) const NAME: &str = "ora.tune";

/// Settings by region that were tried.
pub(super) struct ByFile {
    pub(super) by_region: ByRegion,
    /// The file that has them; `None`: they are not among the best.
    pub(super) written: Option<PathBuf>,
}

impl ByFile {
    /// Writes the settings to the file that the user has named, or to a new one, if they are among the best. In what was found the file
    /// has that name from now on.
    ///
    /// # Errors
    /// If the file can't be written.
    pub(super) fn keep(by_region: ByRegion, named: Option<&Path>, found: &mut Found, tried: &Path) -> Result<Self> {
        let path = named.map_or_else(unused, Path::to_owned);
        let is_best = found.trials.get(found.best).is_some_and(|best| best.setting.is_by_region());
        for trial in &mut found.trials {
            trial.setting.rename(&tried.to_string_lossy(), &path.to_string_lossy());
        }
        if is_best {
            fs::write(&path, by_region.text(Value::AsItIs))
                .with_context(|| format!("cannot write {}", path.shown()))?;
        }
        Ok(Self { by_region, written: is_best.then_some(path) })
    }
}

/// The first name that no file has.
fn unused() -> PathBuf {
    let names = std::iter::once(PathBuf::from(NAME)).chain((2..).map(|number| format!("ora-{number}.tune").into()));
    names.into_iter().find(|path| !path.exists()).unwrap_or_else(|| NAME.into())
}
