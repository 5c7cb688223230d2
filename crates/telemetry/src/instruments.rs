//! The metrics.

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter};
use ox_protocol::{Money, Usage};

/// Boundaries that the conventions recommend, in tokens and in seconds.
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];
const SECONDS: [f64; 14] = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// What is measured.
pub(crate) struct Instruments {
    tokens: Histogram<u64>,
    duration: Histogram<f64>,
    cost: Counter<f64>,
}

impl Instruments {
    pub fn new(meter: &Meter) -> Instruments {
        Instruments {
            tokens: meter
                .u64_histogram("gen_ai.client.token.usage")
                .with_description("Number of input and output tokens used")
                .with_unit("{token}")
                .with_boundaries(TOKENS.to_vec())
                .build(),
            duration: meter
                .f64_histogram("gen_ai.client.operation.duration")
                .with_description("GenAI operation duration")
                .with_unit("s")
                .with_boundaries(SECONDS.to_vec())
                .build(),
            cost: meter
                .f64_counter("ox.cost")
                .with_description("Cost of model requests whose price is known")
                .with_unit("USD")
                .build(),
        }
    }

    /// A reply of the model that `of` names.
    pub fn used(&self, usage: &Usage, cost: Option<Money>, of: &[KeyValue]) {
        let typed = |kind: &'static str| [of, &[KeyValue::new("gen_ai.token.type", kind)]].concat();
        self.tokens.record(usage.input.0, &typed("input"));
        self.tokens.record(usage.output.0, &typed("output"));
        if let Some(cost) = cost {
            self.cost.add(dollars(cost), of);
        }
    }

    /// An operation that took so many seconds.
    pub fn took(&self, seconds: f64, of: &[KeyValue]) {
        self.duration.record(seconds, of);
    }
}

pub(crate) fn dollars(cost: Money) -> f64 {
    cost.0 as f64 / 1e6
}
