//! What goes wrong: every error has a code for programs and words for people.

use ox_protocol::Problem;
use ox_protocol::locale::Language;
use ox_server::answers::ErrorBody;

/// Why something had no effect, or nothing more comes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// For programs: the code of a problem of Ox, `connection` where the server cannot be reached, or `protocol` where it answers
    /// something that this version does not understand.
    pub code: String,
    /// For people.
    pub message: String,
    /// The status of the answer, where there was one.
    pub status: Option<u16>,
}

impl Error {
    pub(crate) fn connection(why: impl std::fmt::Display) -> Error {
        Error { code: "connection".to_owned(), message: why.to_string(), status: None }
    }

    pub(crate) fn protocol(why: impl std::fmt::Display) -> Error {
        Error { code: "protocol".to_owned(), message: why.to_string(), status: None }
    }

    /// An answer that is an error.
    pub(crate) fn answered(status: u16, body: &[u8]) -> Error {
        match serde_json::from_slice::<ErrorBody>(body) {
            Ok(body) => Error { code: body.code, message: body.message, status: Some(status) },
            Err(_) => Error { status: Some(status), ..Error::protocol(String::from_utf8_lossy(body).trim()) },
        }
    }

    /// True where the same may work a little later.
    pub(crate) fn is_passing(&self) -> bool {
        self.code == "connection" || self.status.is_some_and(|it| it >= 500)
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        Error { message: Language::En.problem(&problem), code: problem.code, status: None }
    }
}
