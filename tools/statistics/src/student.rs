//! Student's t distribution: how many standard errors a mean of few runs may be off.

/// Two-sided 95 % quantiles for 1 to 10 degrees of freedom.
const QUANTILES: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
/// The quantile of the normal distribution, which is that for many degrees of freedom.
const NORMAL: f64 = 1.960;

/// The two-sided 95 % quantile; infinite below one degree of freedom. Between the table's values it is linear in the inverse of the
/// degrees of freedom, which is never too small, and too large by 2 % at most above two degrees of freedom.
pub(crate) fn quantile(freedom: f64) -> f64 {
    let mut last = (f64::INFINITY, f64::INFINITY);
    let known = (1_u32..).map(f64::from).zip(QUANTILES);
    for (at, value) in known.chain([(f64::INFINITY, NORMAL)]) {
        if freedom <= at {
            let (before, larger) = last;
            let part = (1.0 / freedom - 1.0 / at) / (1.0 / before - 1.0 / at);
            return if freedom < at { value + part * (larger - value) } else { value };
        }
        last = (at, value);
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let published = [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (10.0, 2.228),
            (12.0, 2.179),
            (15.0, 2.131),
            (20.0, 2.086),
            (30.0, 2.042),
            (60.0, 2.000),
            (120.0, 1.980),
            (f64::INFINITY, 1.960),
        ];
        for (freedom, value) in published {
            let got = quantile(freedom);
            assert!(got >= value - 0.0005 && got < value * 1.005, "{freedom}: {got} in place of {value}");
        }
    }

    #[test]
    fn quantiles_shrink_between_the_tables_values() {
        let all: Vec<f64> = (10..400).map(|tenths| quantile(f64::from(tenths) / 10.0)).collect();
        assert!(all.windows(2).all(|two| two[0] > two[1]), "{all:?}");
        assert!(quantile(0.5).is_infinite() && quantile(f64::NAN).is_infinite());
    }
}
