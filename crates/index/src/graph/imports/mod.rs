//! From imports to files, a file per family of languages.

mod bash;
mod c;
mod context;
mod csharp;
mod go;
mod jvm;
mod lua;
mod php;
mod python;
mod resolver;
mod ruby;
mod rust;
mod script;
mod swift;

pub use context::Resolver;
pub(crate) use resolver::has_implied;
