//! Places in the form that findings use.

use symbols::Place;

/// The place. `None`: unknown.
pub fn place(place: &Place) -> Option<advice::Place> {
    let (file, line) = place.line().map(|(file, line)| (file.to_owned(), line)).unzip();
    let function = place.function().map(str::to_owned);
    (*place != Place::Unknown).then(|| advice::Place { name: place.brief_name(), function, file, line })
}
