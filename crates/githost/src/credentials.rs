//! How git is given a token for a remote: by variables for that one process, which is no argument that others could see, and for
//! the remote's host alone. Nothing is run here.

use base64::Engine;

use crate::HostKind;

/// The variables that let git in at the host of `url` (`GIT_CONFIG_COUNT` in `git help config`), and the text in them that is as
/// secret as the token. None for an address at which others could listen, and for one that is not of the web.
pub fn credentials(url: &str, kind: HostKind, token: &str) -> Option<([(String, String); 3], String)> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split('/').next()?.rsplit('@').next()?;
    let host = authority.rsplit_once(':').map_or(authority, |it| it.0);
    let here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    if !(scheme == "https" || scheme == "http" && here) {
        return None;
    }
    let secret = base64::engine::general_purpose::STANDARD.encode(format!("{}:{token}", kind.user_of_token()));
    let variables = [
        ("GIT_CONFIG_COUNT".to_owned(), "1".to_owned()),
        ("GIT_CONFIG_KEY_0".to_owned(), format!("http.{scheme}://{authority}/.extraHeader")),
        ("GIT_CONFIG_VALUE_0".to_owned(), format!("Authorization: Basic {secret}")),
    ];
    Some((variables, secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_to_its_own_host_where_nobody_can_listen() {
        let table = [
            ("https://github.com/o/r.git", Some("http.https://github.com/.extraHeader")),
            ("https://me@git.example.org:8443/o/r", Some("http.https://git.example.org:8443/.extraHeader")),
            ("http://127.0.0.1:3000/o/r", Some("http.http://127.0.0.1:3000/.extraHeader")),
            ("http://git.example.org/o/r", None),
            ("http://127.0.0.1.example.org/o/r", None),
            ("git@github.com:o/r", None),
            ("ssh://git@github.com/o/r", None),
        ];
        for (url, expected) in table {
            let found = credentials(url, HostKind::GitLab, "secret");
            assert_eq!(found.as_ref().map(|it| it.0[1].1.as_str()), expected, "{url}");
        }
        let (variables, secret) = credentials("https://a.org/o/r", HostKind::GitLab, "secret").unwrap();
        assert_eq!(secret, "b2F1dGgyOnNlY3JldA==");
        assert_eq!(variables[2].1, "Authorization: Basic b2F1dGgyOnNlY3JldA==");
    }
}
