//! Where a repository is, read from the URL of a remote, and which pull request the URL of a page means. Nothing is asked for it.
//!
//! The forms are those of `git help clone` ("GIT URLS"): `https://`, `ssh://` and `git@host:path`. A path of this machine is
//! no remote of a host.

use url::Url;

/// A repository on some host, as the URL of a remote names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The host in lower case, without user and port.
    pub host: String,
    /// The port of its web address; none for the usual one and for `ssh`, whose port says nothing about the web.
    pub port: Option<u16>,
    /// The path of the repository without `.git`: `owner/name`, with further groups before the name on GitLab.
    pub path: String,
}

impl Remote {
    /// Reads the URL of a remote; none where it names no host.
    pub fn parse(url: &str) -> Option<Remote> {
        let url = url.trim();
        if url.contains("://") {
            let parsed = Url::parse(url).ok()?;
            let is_web = matches!(parsed.scheme(), "https" | "http");
            if !is_web && !matches!(parsed.scheme(), "ssh" | "git+ssh" | "ssh+git" | "git") {
                return None;
            }
            let port = parsed.port().filter(|_| is_web);
            return Remote::of(parsed.host_str()?, port, parsed.path());
        }
        // What has a slash before the first colon is a path; so is a drive of Windows.
        let (place, path) = match url.strip_prefix('[') {
            Some(rest) => rest.split_once("]:")?,
            None => url.split_once(':')?,
        };
        let host = place.rsplit('@').next()?;
        let host = if url.starts_with('[') { host.split(':').next()? } else { host };
        let is_path = place.contains(['/', '\\']) || host.len() < 2 || path.starts_with(['\\', ':']);
        if is_path { None } else { Remote::of(host, None, path) }
    }

    fn of(host: &str, port: Option<u16>, path: &str) -> Option<Remote> {
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
        let parts: Vec<&str> = path.split('/').collect();
        let is_good = |it: &&str| !it.is_empty() && *it != "." && *it != ".." && !it.starts_with(['~', '-']);
        let fits = parts.len() > 1 && parts.iter().all(is_good) && !host.is_empty() && !host.starts_with('-');
        fits.then(|| Remote { host: host.to_ascii_lowercase(), port, path: parts.join("/") })
    }
}

/// A remote as git's settings have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteSettings {
    /// Its name.
    pub name: String,
    /// Its URL.
    pub url: String,
    /// Where git pushes to.
    pub push: String,
}

impl RemoteSettings {
    /// The remote of a branch in the text of git's settings: the one that it names, else `origin`. None where there is none.
    pub fn of(settings: &str, branch: &str) -> Option<RemoteSettings> {
        let name = value(settings, &format!("branch \"{branch}\""), "remote").filter(|it| it != ".");
        let name = name.unwrap_or_else(|| "origin".to_owned());
        let section = format!("remote \"{name}\"");
        let url = value(settings, &section, "url")?;
        Some(RemoteSettings { push: value(settings, &section, "pushurl").unwrap_or_else(|| url.clone()), url, name })
    }
}

/// The last value of a key in a section of git's settings.
fn value(settings: &str, section: &str, key: &str) -> Option<String> {
    let mut found = None;
    let mut inside = false;
    for line in settings.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            inside = head.trim_end_matches(']') == section;
        } else if let Some((name, value)) = line.split_once('=').filter(|_| inside)
            && name.trim().eq_ignore_ascii_case(key)
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found
}

/// A pull request as the URL of its page names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequestUrl {
    /// Its repository.
    pub remote: Remote,
    /// Its number there.
    pub number: u64,
}

impl PullRequestUrl {
    /// Reads the URL of a page: `…/pull/7` (GitHub), `…/-/merge_requests/7` (GitLab), `…/pulls/7` (Gitea); what follows the
    /// number does not count. None for any other.
    pub fn parse(url: &str) -> Option<PullRequestUrl> {
        let parsed = Url::parse(url.trim()).ok().filter(|it| matches!(it.scheme(), "https" | "http"))?;
        let path = parsed.path();
        ["/-/merge_requests/", "/pulls/", "/pull/"].iter().find_map(|mark| {
            let (path, rest) = path.split_once(mark)?;
            let number = rest.split('/').next()?.parse().ok().filter(|it| *it > 0)?;
            Some(PullRequestUrl { remote: Remote::of(parsed.host_str()?, parsed.port(), path)?, number })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_are_read_in_every_form_that_git_takes() {
        let table = [
            ("https://github.com/o/r.git", Some(("github.com", None, "o/r"))),
            ("https://GitHub.com/o/r/", Some(("github.com", None, "o/r"))),
            ("https://user:secret@git.example.org:8443/o/r", Some(("git.example.org", Some(8443), "o/r"))),
            ("https://gitlab.com/group/sub/deep/r.git", Some(("gitlab.com", None, "group/sub/deep/r"))),
            ("http://127.0.0.1:3000/o/r.git", Some(("127.0.0.1", Some(3000), "o/r"))),
            ("ssh://git@git.example.org:2222/group/sub/r.git", Some(("git.example.org", None, "group/sub/r"))),
            ("git+ssh://git@github.com/o/r", Some(("github.com", None, "o/r"))),
            ("git@github.com:o/r.git", Some(("github.com", None, "o/r"))),
            ("github.com:o/r", Some(("github.com", None, "o/r"))),
            ("git@codeberg.org:/o/r.git", Some(("codeberg.org", None, "o/r"))),
            ("[git@git.example.org:2222]:o/r.git", Some(("git.example.org", None, "o/r"))),
            ("/srv/git/o/r.git", None),
            ("../o/r.git", None),
            ("./a:b/c", None),
            ("C:\\repos\\o\\r", None),
            ("C:/repos/o/r", None),
            ("file:///srv/git/o/r.git", None),
            ("https://github.com/o", None),
            ("https://github.com/o/../r", None),
            ("https://github.com/o//r", None),
            ("ssh://git@host/~user/r", None),
            ("git@host:-o/r", None),
            ("-oProxyCommand=x:o/r", None),
            ("ext::sh -c touch% x/y", None),
            ("", None),
        ];
        for (url, expected) in table {
            let found = Remote::parse(url);
            let found = found.as_ref().map(|it| (it.host.as_str(), it.port, it.path.as_str()));
            assert_eq!(found, expected, "{url}");
        }
    }

    #[test]
    fn the_remote_of_a_branch_is_its_own_or_origin() {
        let settings = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:o/r.git\n\tfetch = +refs\n\
            [branch \"fix\"]\n\tremote = mine\n[remote \"mine\"]\n\turl = https://github.com/me/r\n\
            \tpushurl = \"https://push.example.org/me/r\"\n[branch \"here\"]\n\tremote = .\n";
        let of =
            |branch: &str| RemoteSettings::of(settings, branch).map(|it| format!("{} {} {}", it.name, it.url, it.push));
        let origin = Some("origin git@github.com:o/r.git git@github.com:o/r.git".to_owned());
        assert_eq!((of("main"), of("here")), (origin.clone(), origin));
        assert_eq!(of("fix").as_deref(), Some("mine https://github.com/me/r https://push.example.org/me/r"));
        assert_eq!(RemoteSettings::of("[core]\n", "main"), None);
    }

    #[test]
    fn pages_of_pull_requests_are_read() {
        let table = [
            ("https://github.com/o/r/pull/7", Some(("github.com", "o/r", 7))),
            ("https://github.com/o/r/pull/7/files#diff-1", Some(("github.com", "o/r", 7))),
            ("https://gitlab.com/g/s/r/-/merge_requests/12/diffs", Some(("gitlab.com", "g/s/r", 12))),
            ("https://codeberg.org/o/r/pulls/3", Some(("codeberg.org", "o/r", 3))),
            ("https://github.com/o/r/issues/7", None),
            ("https://github.com/o/r/pull/x", None),
            ("https://github.com/o/r/pull/0", None),
            ("main..HEAD", None),
        ];
        for (url, expected) in table {
            let found = PullRequestUrl::parse(url);
            let found = found.as_ref().map(|it| (it.remote.host.as_str(), it.remote.path.as_str(), it.number));
            assert_eq!(found, expected, "{url}");
        }
    }
}
