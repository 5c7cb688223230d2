//! Why a host did not do what it was asked, in words that say what to do next.

use std::time::Duration;

use ox_protocol::Problem;
use ox_protocol::locale::Language;

/// Why a host was not asked, or did not do what it was asked. Shown in English; [`Error::problem`] has it for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Language::En.problem(&self.problem()))]
pub enum Error {
    /// Nobody said what this host runs.
    UnknownHost {
        /// Its name.
        host: String,
    },
    /// The address of its interface is none, or is not encrypted.
    Address {
        /// The host.
        host: String,
        /// The address.
        address: String,
    },
    /// The path of the repository is none that this host can have.
    Path {
        /// The host.
        host: String,
        /// The path.
        path: String,
    },
    /// It could not be spoken to, or broke off.
    Unreachable {
        /// The host.
        host: String,
        /// Why.
        why: String,
    },
    /// 401: there is no token, or it is not taken.
    Unauthorized {
        /// The host.
        host: String,
        /// The variables that may hold one.
        variables: String,
        /// What the host says.
        why: String,
    },
    /// 403: the token may not do this.
    Forbidden {
        /// The host.
        host: String,
        /// What a token needs.
        scope: String,
        /// What the host says.
        why: String,
    },
    /// 404: there is no such thing, or the token may not see it.
    NotFound {
        /// The host.
        host: String,
        /// What was asked for.
        what: String,
        /// The variables that may hold a token.
        variables: String,
    },
    /// 400, 409 or 422: the host does not take what it was sent.
    Refused {
        /// The host.
        host: String,
        /// What it says.
        why: String,
    },
    /// 429, or 403 with nothing left of what may be asked.
    RateLimited {
        /// The host.
        host: String,
        /// How long to wait, where the host says so.
        wait: Option<Duration>,
    },
    /// 301, 302, 307 or 308: it is elsewhere now, which was not followed.
    Moved {
        /// The host.
        host: String,
        /// What was asked for.
        what: String,
    },
    /// Any other status.
    Status {
        /// The host.
        host: String,
        /// The number.
        status: u16,
        /// What the host says.
        why: String,
    },
    /// An answer that is longer than is read.
    TooLong {
        /// The host.
        host: String,
        /// The most bytes that are read.
        most: usize,
    },
    /// An answer that is not what the documentation of the host says.
    Unreadable {
        /// The host.
        host: String,
        /// What was asked for.
        what: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Error {
    /// It as a problem with a code and arguments, for people.
    pub fn problem(&self) -> Problem {
        let of = |code: &str, host: &str| Problem::new(code).with("host", host);
        match self {
            Error::UnknownHost { host } => of("githost.unknown", host),
            Error::Address { host, address } => of("githost.address", host).with("address", address),
            Error::Path { host, path } => of("githost.path", host).with("path", path),
            Error::Unreachable { host, why } => of("githost.unreachable", host).with("why", why),
            Error::Unauthorized { host, variables, why } => {
                of("githost.unauthorized", host).with("variables", variables).with("why", why)
            }
            Error::Forbidden { host, scope, why } => {
                of("githost.forbidden", host).with("scope", scope).with("why", why)
            }
            Error::NotFound { host, what, variables } => {
                of("githost.not_found", host).with("what", what).with("variables", variables)
            }
            Error::Refused { host, why } => of("githost.refused", host).with("why", why),
            Error::RateLimited { host, wait: Some(wait) } => {
                of("githost.rate_limited", host).with("seconds", wait.as_secs())
            }
            Error::RateLimited { host, wait: None } => of("githost.rate_limited_open", host),
            Error::Moved { host, what } => of("githost.moved", host).with("what", what),
            Error::Status { host, status, why } => of("githost.status", host).with("status", status).with("why", why),
            Error::TooLong { host, most } => of("githost.too_long", host).with("most", most >> 20),
            Error::Unreadable { host, what, why } => of("githost.unreadable", host).with("what", what).with("why", why),
        }
    }
}
