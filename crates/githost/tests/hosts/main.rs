//! Each host asked as its documentation says, to the letter, and what its refusals become.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod server;

use std::collections::BTreeMap;
use std::sync::Once;

use ox_githost::{Client, Error, Host, HostKind, KnownHost, NewPullRequest, PullRequest, Remote, State};
use serde_json::{Value, json};
use server::{Exchange, HostServer};

const TOKEN: &str = "secret-token-1";

fn client(address: &str, kind: HostKind, api: &str, path: &str, token: Option<&str>) -> Result<Client, Error> {
    static TLS: Once = Once::new();
    TLS.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    let known = KnownHost { kind, api: Some(format!("{address}{api}")) };
    let remote = Remote::parse(&format!("git@git.example.org:{path}.git")).unwrap();
    let host = Host::of(&remote, &BTreeMap::from([("git.example.org".to_owned(), known)]))?;
    Client::new(&|builder| Ok(builder.no_proxy()), host, &remote, token)
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// What a host wants in each request, and how its paths begin.
struct Kind {
    kind: HostKind,
    api: &'static str,
    path: &'static str,
    /// The repository in paths, encoded as the host wants it.
    repository: &'static str,
    accept: &'static str,
}

/// <https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api>
const GITHUB: Kind = Kind {
    kind: HostKind::GitHub,
    api: "",
    path: "octo/hello.world",
    repository: "/repos/octo/hello.world",
    accept: "application/vnd.github+json",
};
/// <https://docs.gitlab.com/api/rest/#namespaced-paths>
const GITLAB: Kind = Kind {
    kind: HostKind::GitLab,
    api: "/api/v4",
    path: "group/sub/hello",
    repository: "/api/v4/projects/group%2Fsub%2Fhello",
    accept: "application/json",
};
/// `/swagger.v1.json`, base path `/api/v1`
const GITEA: Kind = Kind {
    kind: HostKind::Gitea,
    api: "/api/v1",
    path: "octo/hello",
    repository: "/api/v1/repos/octo/hello",
    accept: "application/json",
};

impl Kind {
    /// All headers of a request, sorted by their names.
    fn headers(&self, accept: &str, sends: bool) -> Vec<(&'static str, String)> {
        let mut headers =
            vec![("accept", accept.to_owned()), ("user-agent", format!("ox/{}", env!("CARGO_PKG_VERSION")))];
        match self.kind {
            HostKind::GitHub => {
                headers.push(("authorization", format!("Bearer {TOKEN}")));
                headers.push(("x-github-api-version", "2022-11-28".to_owned()));
            }
            HostKind::GitLab => headers.push(("private-token", TOKEN.to_owned())),
            HostKind::Gitea => headers.push(("authorization", format!("token {TOKEN}"))),
        }
        if sends {
            headers.push(("content-type", "application/json".to_owned()));
        }
        headers.sort();
        headers
    }

    fn get(&self, rest: &str, reply: &Value) -> Exchange {
        Exchange {
            method: "GET",
            target: format!("{}{rest}", self.repository),
            headers: self.headers(self.accept, false),
            body: None,
            status: 200,
            reply_headers: Vec::new(),
            reply: reply.to_string(),
        }
    }

    fn post(&self, rest: &str, body: Value, reply: &Value) -> Exchange {
        let headers = self.headers(self.accept, true);
        Exchange { method: "POST", headers, body: Some(body), status: 201, ..self.get(rest, reply) }
    }

    fn diff(&self, rest: &str, accept: &str) -> Exchange {
        Exchange { headers: self.headers(accept, false), reply: DIFF.to_owned(), ..self.get(rest, &Value::Null) }
    }

    fn client(&self, server: &HostServer) -> Client {
        client(server.address(), self.kind, self.api, self.path, Some(TOKEN)).unwrap()
    }
}

const DIFF: &str = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n+b\n";

fn new(draft: bool) -> NewPullRequest {
    NewPullRequest {
        title: "Fix the sign".into(),
        body: "It was `-`.\n\n* [x] \"tests\"".into(),
        head: "ox/fix".into(),
        base: "main".into(),
        draft,
    }
}

fn expected(number: u64, url: &str) -> PullRequest {
    PullRequest {
        number,
        url: url.into(),
        title: "Fix the sign".into(),
        body: "words".into(),
        author: "octo".into(),
        state: State::Open,
        draft: false,
        head: "ox/fix".into(),
        commit: "6dcb09b5".into(),
        base: "main".into(),
    }
}

/// As GitHub and Gitea write one.
fn pull(number: u64, head: &str, repositories: (u64, u64)) -> Value {
    json!({
        "number": number, "html_url": format!("https://git.example.org/octo/hello/pull/{number}"), "title": "Fix the sign",
        "body": "words", "user": {"login": "octo"}, "state": "open", "draft": false, "merged_at": null,
        "head": {"ref": head, "sha": "6dcb09b5", "repo_id": repositories.0},
        "base": {"ref": "main", "sha": "c3d0be41", "repo_id": repositories.1},
    })
}

/// As GitLab writes one.
fn merge_request(number: u64, projects: (u64, u64)) -> Value {
    json!({
        "id": 900 + number, "iid": number, "web_url": format!("https://git.example.org/group/sub/hello/-/merge_requests/{number}"),
        "title": "Fix the sign", "description": "words", "author": {"id": 1, "username": "octo"}, "state": "opened",
        "draft": false, "source_branch": "ox/fix", "target_branch": "main", "sha": "6dcb09b5",
        "source_project_id": projects.0, "target_project_id": projects.1,
    })
}

#[test]
fn github_is_asked_as_it_documents() {
    let of = "https://git.example.org/octo/hello/pull/7";
    let server = HostServer::new(|at| {
        let list = "/pulls?state=open&head=octo%3Aox%2Ffix&base=main&per_page=100";
        let next = "/pulls?state=open&head=octo%3Aox%2Ffix&base=main&per_page=100&page=2";
        let link = format!("<{at}/repos/octo/hello.world{next}>; rel=\"next\", <{at}/x?page=2>; rel=\"last\"");
        vec![
            GITHUB.get("", &json!({"default_branch": "main", "full_name": "octo/hello.world"})),
            Exchange { reply_headers: vec![("link", link)], ..GITHUB.get(list, &json!([])) },
            GITHUB.get(next, &json!([])),
            GITHUB.post(
                "/pulls",
                json!({
                    "title": "Fix the sign", "body": "It was `-`.\n\n* [x] \"tests\"", "head": "ox/fix", "base": "main",
                    "draft": true,
                }),
                &pull(7, "ox/fix", (1, 1)),
            ),
            GITHUB.get("/pulls/7", &pull(7, "ox/fix", (1, 1))),
            GITHUB.diff("/pulls/7", "application/vnd.github.diff"),
            GITHUB.post(
                "/issues/7/comments",
                json!({"body": "Looks good"}),
                &json!({"id": 1, "html_url": "https://c"}),
            ),
            Exchange { target: "/user".into(), ..GITHUB.get("", &json!({"login": "octo"})) },
        ]
    });
    let client = GITHUB.client(&server);
    wait(async {
        assert_eq!(client.default_branch().await.unwrap(), "main");
        assert_eq!(client.find("ox/fix", "main").await.unwrap(), None);
        assert_eq!(client.create(&new(true)).await.unwrap(), expected(7, of));
        assert_eq!(client.pull_request(7).await.unwrap(), expected(7, of));
        assert_eq!(client.diff(7).await.unwrap(), DIFF);
        assert_eq!(client.comment(7, "Looks good").await.unwrap().as_deref(), Some("https://c"));
        assert_eq!(client.user().await.unwrap(), "octo");
    });
    server.done();
}

#[test]
fn gitlab_is_asked_as_it_documents() {
    let of = "https://git.example.org/group/sub/hello/-/merge_requests/7";
    let server = HostServer::new(|at| {
        let list = "/merge_requests?state=opened&source_branch=ox%2Ffix&target_branch=main&per_page=100";
        let next = format!("{list}&page=2");
        let link = format!("<{at}{}{next}>; rel=\"next\", <{at}/x>; rel=\"first\"", GITLAB.repository);
        // A branch of the same name in a fork is another one.
        let (fork, own) = (json!([merge_request(6, (2, 1))]), json!([merge_request(7, (1, 1))]));
        let body = json!({
            "source_branch": "ox/fix", "target_branch": "main", "title": "Draft: Fix the sign",
            "description": "It was `-`.\n\n* [x] \"tests\"",
        });
        vec![
            GITLAB.get("", &json!({"id": 1, "default_branch": "main"})),
            Exchange { reply_headers: vec![("link", link)], ..GITLAB.get(list, &fork) },
            GITLAB.get(&next, &own),
            GITLAB.post("/merge_requests", body, &merge_request(7, (1, 1))),
            GITLAB.get("/merge_requests/7", &merge_request(7, (1, 1))),
            GITLAB.diff("/merge_requests/7/raw_diffs", "text/plain"),
            GITLAB.post(
                "/merge_requests/7/notes",
                json!({"body": "Looks good"}),
                &json!({"id": 1, "body": "Looks good"}),
            ),
            Exchange { target: "/api/v4/user".into(), ..GITLAB.get("", &json!({"username": "octo"})) },
        ]
    });
    let client = GITLAB.client(&server);
    wait(async {
        assert_eq!(client.default_branch().await.unwrap(), "main");
        assert_eq!(client.find("ox/fix", "main").await.unwrap(), Some(expected(7, of)));
        assert_eq!(client.create(&new(true)).await.unwrap(), expected(7, of));
        assert_eq!(client.pull_request(7).await.unwrap(), expected(7, of));
        assert_eq!(client.diff(7).await.unwrap(), DIFF);
        assert_eq!(client.comment(7, "Looks good").await.unwrap(), None);
        assert_eq!(client.user().await.unwrap(), "octo");
    });
    server.done();
}

#[test]
fn gitea_is_asked_as_it_documents() {
    let of = "https://git.example.org/octo/hello/pull/7";
    let server = HostServer::new(|at| {
        let list = "/pulls?state=open&limit=50";
        let link = format!("<{at}{}/pulls?limit=50&page=2&state=open>; rel=\"next\"", GITEA.repository);
        let others = json!([pull(5, "ox/other", (1, 1)), pull(6, "ox/fix", (2, 1))]);
        let body = json!({
            "title": "WIP: Fix the sign", "body": "It was `-`.\n\n* [x] \"tests\"", "head": "ox/fix", "base": "main",
        });
        vec![
            GITEA.get("", &json!({"default_branch": "main"})),
            Exchange { reply_headers: vec![("link", link)], ..GITEA.get(list, &others) },
            GITEA.get("/pulls?limit=50&page=2&state=open", &json!([pull(7, "ox/fix", (1, 1))])),
            GITEA.post("/pulls", body, &pull(7, "ox/fix", (1, 1))),
            GITEA.get("/pulls/7", &pull(7, "ox/fix", (1, 1))),
            GITEA.diff("/pulls/7.diff", "text/plain"),
            GITEA.post("/issues/7/comments", json!({"body": "Looks good"}), &json!({"id": 1, "html_url": "https://c"})),
            Exchange { target: "/api/v1/user".into(), ..GITEA.get("", &json!({"login": "octo"})) },
        ]
    });
    let client = GITEA.client(&server);
    wait(async {
        assert_eq!(client.default_branch().await.unwrap(), "main");
        assert_eq!(client.find("ox/fix", "main").await.unwrap(), Some(expected(7, of)));
        assert_eq!(client.create(&new(true)).await.unwrap(), expected(7, of));
        assert_eq!(client.pull_request(7).await.unwrap(), expected(7, of));
        assert_eq!(client.diff(7).await.unwrap(), DIFF);
        assert_eq!(client.comment(7, "Looks good").await.unwrap().as_deref(), Some("https://c"));
        assert_eq!(client.user().await.unwrap(), "octo");
    });
    server.done();
}

#[test]
fn what_is_not_a_draft_is_not_marked_as_one_and_what_is_merged_says_so() {
    let server = HostServer::new(|_| {
        let body = json!({
            "source_branch": "ox/fix", "target_branch": "main", "title": "Fix the sign",
            "description": "It was `-`.\n\n* [x] \"tests\"",
        });
        let mut merged = merge_request(8, (1, 1));
        merged["state"] = json!("merged");
        merged["description"] = Value::Null;
        vec![GITLAB.post("/merge_requests", body, &merge_request(7, (1, 1))), GITLAB.get("/merge_requests/8", &merged)]
    });
    let client = GITLAB.client(&server);
    wait(client.create(&new(false))).unwrap();
    let merged = wait(client.pull_request(8)).unwrap();
    assert_eq!((merged.state, merged.body.as_str()), (State::Merged, ""));
    server.done();
}

#[test]
fn no_words_are_a_command_to_gitlab() {
    let said = json!({"body": "Done.\n\\/merge\n  \\/close\nsee a/b"});
    let server = HostServer::new(|_| vec![GITLAB.post("/merge_requests/7/notes", said, &json!({"id": 1}))]);
    wait(GITLAB.client(&server).comment(7, "Done.\n/merge\n  /close\nsee a/b")).unwrap();
    server.done();
}

/// What a host answers (status, headers, body), and what is said of it.
type Refusal<'a> = (&'a Kind, u16, &'a [(&'a str, &'a str)], &'a str, &'a [&'a str]);

#[test]
fn a_refusal_says_what_to_do_and_never_the_token() {
    let table: [Refusal<'_>; 10] = [
        (
            &GITHUB,
            401,
            &[],
            r#"{"message":"Bad credentials"}"#,
            &["Bad credentials", "GITHUB_TOKEN, GH_TOKEN", "ox login"],
        ),
        (&GITLAB, 401, &[], r#"{"message":"401 Unauthorized secret-token-1"}"#, &["[key]", "GITLAB_TOKEN"]),
        (
            &GITEA,
            403,
            &[],
            r#"{"message":"token does not have at least one of required scope(s)"}"#,
            &["required scope", "write:repository"],
        ),
        (
            &GITHUB,
            403,
            &[],
            r#"{"message":"Resource not accessible by integration"}"#,
            &["not accessible", "Pull requests: write"],
        ),
        (
            &GITHUB,
            403,
            &[("x-ratelimit-remaining", "0")],
            r#"{"message":"API rate limit exceeded"}"#,
            &["too many requests"],
        ),
        (&GITHUB, 403, &[("retry-after", "60")], r#"{"message":"secondary rate limit"}"#, &["60 s"]),
        (&GITLAB, 429, &[("retry-after", "17")], "Retry later", &["17 s"]),
        (
            &GITEA,
            404,
            &[],
            r#"{"message":"The target couldn't be found."}"#,
            &["GET /repos/octo/hello/pulls/7", "GITEA_TOKEN"],
        ),
        (
            &GITHUB,
            422,
            &[],
            r#"{"message":"Validation Failed","errors":[{"code":"custom","message":"A pull request already exists for octo:ox/fix."}]}"#,
            &["already exists for octo:ox/fix"],
        ),
        (&GITHUB, 301, &[("location", "https://evil.example.org/")], "", &["moved", "git remote set-url"]),
    ];
    for (kind, status, headers, reply, words) in table {
        let place = if kind.kind == HostKind::GitLab { "/merge_requests/7" } else { "/pulls/7" };
        let server = HostServer::new(|_| {
            let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
            vec![Exchange { status, reply_headers: headers, reply: reply.into(), ..kind.get(place, &Value::Null) }]
        });
        let error = wait(kind.client(&server).pull_request(7)).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{status}: {error}");
        }
        assert!(!error.contains(TOKEN), "{error}");
        server.done();
    }
}

#[test]
fn no_page_of_another_host_is_asked_and_no_answer_is_believed_that_is_not_as_documented() {
    let server = HostServer::new(|_| {
        let link = "<http://127.0.0.2:1/pulls?page=2>; rel=\"next\"".to_owned();
        vec![
            Exchange { reply_headers: vec![("link", link)], ..GITEA.get("/pulls?state=open&limit=50", &json!([])) },
            GITEA.get("/pulls/7", &json!({"number": "seven"})),
            Exchange { reply: "<html>".into(), ..GITEA.get("/pulls/7", &Value::Null) },
            Exchange { reply: "x".repeat((8 << 20) + 1), ..GITEA.diff("/pulls/7.diff", "text/plain") },
        ]
    });
    let client = GITEA.client(&server);
    let error = wait(client.find("ox/fix", "main")).unwrap_err().to_string();
    assert!(error.contains("on another host"), "{error}");
    for _ in 0..2 {
        let error = wait(client.pull_request(7)).unwrap_err();
        assert!(matches!(error, Error::Unreadable { .. }), "{error}");
    }
    assert_eq!(wait(client.diff(7)).unwrap_err(), Error::TooLong { host: "git.example.org".into(), most: 8 << 20 });
    server.done();
    let gone = client_of_nobody();
    assert!(matches!(wait(gone.pull_request(7)).unwrap_err(), Error::Unreachable { .. }));
}

fn client_of_nobody() -> Client {
    client("http://127.0.0.1:1", HostKind::Gitea, "/api/v1", "octo/hello", None).unwrap()
}

#[test]
fn without_a_token_none_is_sent_and_groups_are_gitlab_s_alone() {
    let server = HostServer::new(|_| {
        let mut exchange = GITEA.get("/pulls/7", &pull(7, "ox/fix", (1, 1)));
        exchange.headers.retain(|(name, _)| *name != "authorization");
        vec![exchange]
    });
    let anonymous = client(server.address(), HostKind::Gitea, "/api/v1", "octo/hello", None).unwrap();
    assert_eq!(wait(anonymous.pull_request(7)).unwrap().number, 7);
    server.done();
    let grouped = client("http://127.0.0.1:1", HostKind::GitHub, "", "a/b/c", None);
    assert!(matches!(grouped.err(), Some(Error::Path { .. })));
}
