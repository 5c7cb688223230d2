//! A provider on this machine, as flags and a key for the command.

use ox_model::scripted::parse_script;
use ox_scenario::wire::{self, KEY, MODEL, Mock};
use tokio::runtime::Runtime;

/// What the provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    OpenAi,
    Anthropic,
    /// Chat completions by an endpoint that refuses tools.
    Xml,
}

impl Format {
    pub const ALL: [Format; 3] = [Format::OpenAi, Format::Anthropic, Format::Xml];
}

/// A running server, which checks every request.
pub struct Provider {
    pub mock: Mock,
    pub format: Format,
    /// Where Ox is sent; the server itself, or whatever stands before it.
    pub address: String,
    _runtime: Runtime,
}

impl Provider {
    /// A server that plays a script.
    pub fn new(format: Format, script: &str) -> Provider {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let steps = parse_script(script);
        let mock = runtime.block_on(async {
            match format {
                Format::OpenAi => wire::openai(steps).await,
                Format::Anthropic => wire::anthropic(steps).await,
                Format::Xml => wire::xml(steps).await,
            }
        });
        let mock = mock.unwrap();
        Provider { address: mock.base_url.clone(), mock, format, _runtime: runtime }
    }

    /// Flags that send Ox to the server.
    pub fn flags(&self) -> [String; 4] {
        let (provider, path) = match self.format {
            Format::Anthropic => ("anthropic", ""),
            Format::OpenAi | Format::Xml => ("openai", "/v1"),
        };
        ["--model".into(), format!("{provider}/{MODEL}"), "--base-url".into(), format!("{}{path}", self.address)]
    }

    /// The variable that holds the server's key.
    pub fn key(&self) -> (&'static str, &'static str) {
        match self.format {
            Format::Anthropic => ("ANTHROPIC_API_KEY", KEY),
            Format::OpenAi | Format::Xml => ("OPENAI_API_KEY", KEY),
        }
    }

    /// Asserts that every request was as the provider wants it and that the whole script was asked for.
    #[track_caller]
    pub fn is_content(&self) {
        assert_eq!(self.mock.violations(), Vec::<String>::new(), "{:?}", self.format);
        assert_eq!(self.mock.left(), 0, "{:?}: replies that were not asked for", self.format);
    }
}
