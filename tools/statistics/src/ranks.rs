//! The Mann-Whitney test: are the values of one side smaller, judged by their order alone? Single outliers don't matter.

/// Probability up to which chance is excluded.
const CHANCE: f64 = 0.05;
/// Maximum number of values per side, since the distribution is exact; if there are more, the first ones count.
const MAX_VALUES: usize = 64;

/// True if the values after are smaller than those before, and chance doesn't explain their order.
pub fn is_surely_less(before: &[f64], after: &[f64]) -> bool {
    let (before, after) = (first(before), first(after));
    // Pairs in which the later value is not the smaller one.
    let pairs = before.iter().flat_map(|before| after.iter().map(move |after| after >= before));
    let against = pairs.filter(|against| *against).count();
    probability(before.len(), after.len(), against) <= CHANCE
}

fn first(values: &[f64]) -> &[f64] {
    values.get(..values.len().min(MAX_VALUES)).unwrap_or_default()
}

/// Probability that this many pairs or fewer contradict the claim if both sides are the same.
fn probability(before: usize, after: usize, against: usize) -> f64 {
    // Number of orders by number of pairs, adding one value to the first side at a time: counts of partitions.
    let mut orders = vec![0.0; before * after + 1];
    if let Some(first) = orders.first_mut() {
        *first = 1.0;
    }
    for value in 1..=after {
        // Divided by (1 - x^value), multiplied by (1 - x^(before + value)).
        let mut next = orders.clone();
        for at in (0..next.len()).rev() {
            let less = at.checked_sub(before + value).and_then(|at| orders.get(at)).copied().unwrap_or_default();
            next.get_mut(at).into_iter().for_each(|it| *it -= less);
        }
        for at in 0..next.len() {
            let more = at.checked_sub(value).and_then(|at| next.get(at)).copied().unwrap_or_default();
            next.get_mut(at).into_iter().for_each(|it| *it += more);
        }
        orders = next;
    }
    let all: f64 = orders.iter().sum();
    orders.iter().take(against + 1).sum::<f64>() / all.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_tables() {
        // 20 orders of three and three values: one of them has no contradicting pair, and one has a single one.
        assert!((probability(3, 3, 0) - 0.05).abs() < 1e-9);
        assert!((probability(3, 3, 1) - 0.1).abs() < 1e-9);
        assert!((probability(3, 3, 9) - 1.0).abs() < 1e-9);
        // Five and five values: up to four contradicting pairs are significant, five are not.
        assert!(probability(5, 5, 4) <= CHANCE && probability(5, 5, 5) > CHANCE);
    }

    #[test]
    fn one_value_that_is_far_off_decides_nothing() {
        let before = [10.0, 11.0, 12.0, 11.5, 500.0];
        assert!(!is_surely_less(&before, &[10.5, 11.2, 11.8, 10.2, 12.1]));
        assert!(is_surely_less(&before, &[9.0, 9.1, 9.2, 8.0, 9.9]));
        assert!(!is_surely_less(&[9.0, 9.1], &[1.0, 2.0]), "too few");
        assert!(!is_surely_less(&[], &[1.0]));
    }
}
