//! What is read off a text: its definitions by name, its facts, and whether it fits its language.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod definitions;
mod facts;
mod highlight;
mod names;
mod nesting;
mod syntax;

/// The sample files, one per language.
const SAMPLES: &[(&str, &str)] = &[
    ("sample.rs", include_str!("samples/sample.rs")),
    ("sample.py", include_str!("samples/sample.py")),
    ("sample.js", include_str!("samples/sample.js")),
    ("sample.ts", include_str!("samples/sample.ts")),
    ("sample.tsx", include_str!("samples/sample.tsx")),
    ("sample.go", include_str!("samples/sample.go")),
    ("sample.java", include_str!("samples/sample.java")),
    ("sample.c", include_str!("samples/sample.c")),
    ("sample.h", include_str!("samples/sample.h")),
    ("sample.cpp", include_str!("samples/sample.cpp")),
    ("sample.cs", include_str!("samples/sample.cs")),
    ("sample.rb", include_str!("samples/sample.rb")),
    ("sample.php", include_str!("samples/sample.php")),
    ("sample.sh", include_str!("samples/sample.sh")),
    ("sample.kt", include_str!("samples/sample.kt")),
    ("sample.swift", include_str!("samples/sample.swift")),
    ("sample.scala", include_str!("samples/sample.scala")),
    ("sample.lua", include_str!("samples/sample.lua")),
];

/// The text of a sample.
fn sample(name: &str) -> &'static str {
    SAMPLES.iter().find(|it| it.0 == name).expect("the sample is in the list").1
}
