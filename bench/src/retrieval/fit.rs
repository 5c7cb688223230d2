//! Weights from cases: a conditional logit. Each gold file of a case is to come before all its files that are not gold;
//! the loss is the logarithm of its share in the sum of exponentials, averaged over gold files and cases, plus a small
//! square penalty, minimised by Adam. Weights keep the sign that their meaning gives them.

/// One file of a case.
pub struct Item {
    pub signals: Vec<f32>,
    pub gold: bool,
}

/// The candidates of one case.
pub struct Sample {
    /// Cases of one group are left out together when weights are validated.
    pub group: String,
    pub language: String,
    pub golds: usize,
    pub items: Vec<Item>,
}

/// The penalty of squares.
const PENALTY: f32 = 0.002;
const STEPS: usize = 250;
const RATE: f32 = 0.15;

/// Fits weights. `signs` says of each signal whether it speaks for (1) or against (-1) a file, or is not weighed (0).
pub fn fit(samples: &[&Sample], signs: &[i8]) -> Vec<f32> {
    let mut weights: Vec<f32> = signs.iter().map(|it| f32::from(*it)).collect();
    let (mut first, mut second) = (vec![0f32; weights.len()], vec![0f32; weights.len()]);
    for step in 1..=STEPS {
        let gradient = gradient(samples, &weights);
        let rate = RATE * (1.0 - step as f32 / STEPS as f32).max(0.05);
        let step = i32::try_from(step).unwrap_or(i32::MAX);
        for at in (0..weights.len()).filter(|at| signs[*at] != 0) {
            let slope = gradient[at] + PENALTY * weights[at];
            first[at] = 0.9 * first[at] + 0.1 * slope;
            second[at] = 0.99 * second[at] + 0.01 * slope * slope;
            let mean = first[at] / (1.0 - 0.9f32.powi(step));
            let square = second[at] / (1.0 - 0.99f32.powi(step));
            weights[at] -= rate * mean / (square.sqrt() + 1e-8);
            let sign = f32::from(signs[at]);
            weights[at] = (weights[at] * sign).max(0.0) * sign;
        }
    }
    weights
}

fn gradient(samples: &[&Sample], weights: &[f32]) -> Vec<f32> {
    let mut sum = vec![0f32; weights.len()];
    let mut counted = 0f32;
    for sample in samples {
        let golds = sample.items.iter().filter(|it| it.gold).count();
        if golds == 0 {
            continue;
        }
        counted += 1.0;
        let scores: Vec<f32> = sample.items.iter().map(|it| score(weights, &it.signals)).collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        let shares: Vec<f32> = scores.iter().map(|it| (it - most).exp()).collect();
        let mut others = 0f32;
        let mut pull = vec![0f32; weights.len()];
        for (item, share) in sample.items.iter().zip(&shares).filter(|(item, _)| !item.gold) {
            others += share;
            pull.iter_mut().zip(&item.signals).for_each(|(pull, signal)| *pull += share * signal);
        }
        for (item, share) in sample.items.iter().zip(&shares).filter(|(item, _)| item.gold) {
            let all = others + share;
            for (at, signal) in item.signals.iter().enumerate() {
                sum[at] += ((pull[at] + share * signal) / all - signal) / golds as f32;
            }
        }
    }
    sum.iter().map(|it| it / counted.max(1.0)).collect()
}

/// The weighted sum.
pub fn score(weights: &[f32], signals: &[f32]) -> f32 {
    weights.iter().zip(signals).map(|(weight, signal)| weight * signal).sum()
}

/// The places of the gold files, from 0; what is no candidate has none.
pub fn places(weights: &[f32], sample: &Sample) -> Vec<Option<usize>> {
    let scores: Vec<f32> = sample.items.iter().map(|it| score(weights, &it.signals)).collect();
    let before = |at: usize| {
        scores.iter().enumerate().filter(|(other, it)| **it > scores[at] || (**it == scores[at] && *other < at)).count()
    };
    let mut places: Vec<Option<usize>> =
        sample.items.iter().enumerate().filter(|(_, it)| it.gold).map(|(at, _)| Some(before(at))).collect();
    places.resize(sample.golds, None);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_tells_gets_weight_and_noise_gets_little() {
        let sample = |noise: [f32; 3]| Sample {
            group: "g".into(),
            language: String::new(),
            golds: 1,
            items: (0..3)
                .map(|at| Item { signals: vec![f32::from(u8::from(at == 1)), noise[at]], gold: at == 1 })
                .collect(),
        };
        let samples = [sample([1.0, 0.0, 0.5]), sample([0.0, 1.0, 0.5]), sample([0.5, 0.5, 0.5])];
        let all: Vec<&Sample> = samples.iter().collect();
        let weights = fit(&all, &[1, 1]);
        assert!(weights[0] > 2.0 && weights[1] < weights[0] / 2.0, "{weights:?}");
        assert_eq!(places(&weights, &samples[0]), [Some(0)]);
    }
}
