//! What is a secret and what is none. `|` is taken out of the texts: whole, they would stop every push of this file.

use super::*;

/// A text, the kind that is found in it, and what is left of the text; `#` for the marker.
const SECRETS: &[(&str, &str, &str)] = &[
    ("AK|IAY34FZKBOKMUTVV7A", "aws-key", "#"),
    ("aws_access_key_id = AS|IAY34FZKBOKMUTVV7A\n", "aws-key", "aws_access_key_id = #\n"),
    ("aws_secret_access_key = wJa|lrXUtnFEMIa7MDENGbPxRfiCYzk3hLvQ8sT2c", "secret", "aws_secret_access_key = #"),
    ("key=AI|zaNqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUn&q=1", "google-key", "key=#&q=1"),
    ("ya|29.a0AfH6SMBx7Kq2Lm9Np4Rs1Tu8Vw3Xy6Za", "google-token", "#"),
    ("GOC|SPX-1a2B3c4D5e6F7g8H9i0JkLmNoPqR", "google-token", "#"),
    (
        "AccountName=x;AccountKey=q7Zt2|Vb9Kx4Lm1Pn8Rs5Tu3Wy6Az0Bc7De2Fg9Hi4Jk1Lm8No5Pq3Rs6Tu0Vw7Xy2Za9Bc4De1Fg8Hi5Jk==;",
        "secret",
        "AccountName=x;AccountKey=#;",
    ),
    ("abc8|Q~x9Kq2Lm7Np4Rs1Tu8Vw3Xy6Za0Bc5De", "azure-secret", "#"),
    ("token: gh|p_16C7e42F292c6912E7710c838347Ae178B4a", "github-token", "token: #"),
    (
        "git clone https://oauth2:gl|pat-x9Kq2Lm7Np4Rs1Tu8Vw3@gitlab.com/a/b",
        "gitlab-token",
        "git clone https://oauth2:#@gitlab.com/a/b",
    ),
    (
        "github|_pat_Arl63XykWZeiNNCiia3anX_n9k3ksu9mI4ROnl89Sm995ytbxAk7jqevt0MLaMRTvetw0tESulEETldq8b",
        "github-token",
        "#",
    ),
    ("SLACK=xo|xb-2147483647-9876543210123-AbCd1234EfGh5678IjKl", "slack-token", "SLACK=#"),
    (
        "https://hooks.slack|.com/services/T01AB2CD3/B04EF5GH6/aB1cD2eF3gH4iJ5kL6mN7oP8",
        "webhook",
        "https://hooks.slack.com/services/#",
    ),
    ("sk_li|ve_4eC39HqLyjWDarjtT1zdp7dc", "stripe-key", "#"),
    ("wh|sec_q7Zt2Vb9Kx4Lm1Pn8Rs5Tu3Wy6Az0Bc7", "stripe-key", "#"),
    ("OPENAI_API_KEY=sk|-proj-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5", "openai-key", "OPENAI_API_KEY=#"),
    ("sk|-ant-api03-q7Zt2Vb9Kx4Lm1Pn8Rs5Tu3Wy6Az0Bc7De2Fg9Hi4Jk1Lm8No5Pq3", "anthropic-key", "#"),
    ("sk|-3f9a7c1e5b2d8f4a6c0e9b7d5f3a1c8e", "api-key", "#"),
    (
        "//registry.npmjs.org/:_authToken=np|m_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5",
        "npm-token",
        "//registry.npmjs.org/:_authToken=#",
    ),
    (
        "pypi|-AgEIcHlwaS5vcmcCJDQ2ZjE2YzRmLTk3ZDUtNGRhMC1iOWRmLWM3ZTNiNmE4ZjFkMgACKlszLCJhYmNkZWYxMjM0NTY3ODkwIl0AAAYg",
        "pypi-token",
        "#",
    ),
    ("h|f_8Vw2zbJYAxyL1aCcTlN99mhWp708DwGw5H", "huggingface-token", "#"),
    ("g|sk_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3k", "groq-key", "#"),
    ("S|G.aB3dE5fG7hJ9kL1mN3pQ5r.S7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7oP9qR1sT3u", "sendgrid-key", "#"),
    ("bot 11020|30405:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", "telegram-token", "bot #"),
    (
        "Cookie: x; auth=ey|JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "jwt",
        "Cookie: x; auth=#",
    ),
    // Addresses.
    ("postgres://app:s3cr3tP4ss@db.example.com:5432/app", "url-password", "postgres://app:#@db.example.com:5432/app"),
    ("mysql://root:hunter2@localhost/x", "url-password", "mysql://root:#@localhost/x"),
    ("redis://:p4ssw0rdX@cache:6379/0", "url-password", "redis://:#@cache:6379/0"),
    ("amqp://svc:a%40b%2Fc9@mq/vhost", "url-password", "amqp://svc:#@mq/vhost"),
    ("https://9f8a7b6c5d4e3f2a1b0c9d8e@github.com/a/b.git", "url-password", "https://#@github.com/a/b.git"),
    ("mongodb+srv://u:Tr0ub4dor@cluster0.x.mongodb.net", "url-password", "mongodb+srv://u:#@cluster0.x.mongodb.net"),
    // Headers.
    ("Authorization: Bearer 7d9f2a4c6e8b1d3f5a7c9e0b", "authorization", "Authorization: Bearer #"),
    ("-H 'Authorization: Basic dXNlcjpodW50ZXIy'", "authorization", "-H 'Authorization: Basic #'"),
    (
        "\"Authorization\": \"Token 9944b09199c62bcf9418ad846dd0e4bb\"",
        "authorization",
        "\"Authorization\": \"Token #\"",
    ),
    ("X-Api-Key: q7Zt2Vb9Kx4Lm1Pn8Rs5", "secret", "X-Api-Key: #"),
    ("curl -H \"PRIVATE-TOKEN: x9Kq2Lm7Np4Rs1Tu8Vw3\"", "secret", "curl -H \"PRIVATE-TOKEN: #\""),
    // What is assigned.
    ("DB_PASSWORD=hunter2", "password", "DB_PASSWORD=#"),
    ("export DB_PASSWORD=correcthorsebattery\n", "password", "export DB_PASSWORD=#\n"),
    ("password: hunter2\n", "password", "password: #\n"),
    ("  password: \"p@ssw0rd!\"", "password", "  password: \"#\""),
    ("{\"password\":\"Xk9-mQ2!\"}", "password", "{\"password\":\"#\"}"),
    ("{\\\"password\\\":\\\"Xk9-mQ2!\\\"}", "password", "{\\\"password\\\":\\\"#\\\"}"),
    ("const char *db_password = \"Xk9mQ2vv\";", "password", "const char *db_password = \"#\";"),
    ("let password: &str = \"Xk9mQ2vv\";", "password", "let password: &str = \"#\";"),
    ("PASSWORD='S0mething!'", "password", "PASSWORD='#'"),
    ("mysql -u root --password=Xk9mQ2vv", "password", "mysql -u root --password=#"),
    ("login --password Xk9mQ2vv --user me", "password", "login --password # --user me"),
    (
        "Server=db;Database=x;User Id=sa;Password=Xk9!mQ2vv;Encrypt=true",
        "password",
        "Server=db;Database=x;User Id=sa;Password=#;Encrypt=true",
    ),
    ("<password>Xk9mQ2vv!</password>", "password", "<password>#</password>"),
    ("if password == \"Xk9mQ2vv\":", "password", "if password == \"#\":"),
    ("api_key = \"q7Zt2Vb9Kx4Lm1Pn8Rs5\"", "secret", "api_key = \"#\""),
    ("\"apiKey\": \"3f9a7c1e5b2d8f4a6c0e9b7d5f3a1c8e\"", "secret", "\"apiKey\": \"#\""),
    ("client_secret: q7Zt2Vb9Kx4Lm1Pn8Rs5", "secret", "client_secret: #"),
    ("SECRET_KEY_BASE=9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b", "secret", "SECRET_KEY_BASE=#"),
    ("TOKEN=550e8400-e29b-41d4-a716-446655440000", "secret", "TOKEN=#"),
    ("headers.set(\"X-Auth-Token\", \"q7Zt2Vb9Kx4Lm1Pn8Rs5\")", "secret", "headers.set(\"X-Auth-Token\", \"#\")"),
    ("?sv=2022&sig=q7Zt2Vb9Kx4Lm1Pn8Rs5%2BTu3Wy6Az0Bc7%3D&se=x", "secret", "?sv=2022&sig=#&se=x"),
    ("my api key is q7Zt2Vb9Kx4Lm1Pn8Rs5, thanks", "secret", "my api key is #, thanks"),
    ("login(\"password\", \"Xk9mQ2vv\")", "password", "login(\"password\", \"#\")"),
    ("tool --api-key q7Zt2Vb9Kx4Lm1Pn8Rs5", "secret", "tool --api-key #"),
];

/// What is none, however much it looks like one.
const PLAIN: &[&str] = &[
    // Hashes, ids, data.
    "checksum = \"c982642fa9e8606056828ee9a8505737230110bb1099153c79efe865c59d12ba\"",
    "\"integrity\": \"sha512-q7Zt2Vb9Kx4Lm1Pn8Rs5Tu3Wy6Az0Bc7De2Fg9Hi4Jk1Lm8No5Pq3Rs6Tu0Vw7Xy2Za9Bc4De1Fg8Hi5Jk6Lm==\"",
    "commit 9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a",
    "uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "github.com/x/y v0.0.0-20210921155107-089bfa567519 h1:q7Zt2Vb9Kx4Lm1Pn8Rs5Tu3Wy6Az0Bc7De2Fg9Hi4J=",
    "etag: W/\"3f9a7c1e5b2d8f4a6c0e9b7d5f3a1c8e\"",
    "cache_key: v1-3f9a7c1e5b2d8f4a6c0e9b7d5f3a1c8e",
    "public_key = \"q7Zt2Vb9Kx4Lm1Pn8Rs5Tu3Wy6Az0Bc7\"",
    "password_hash = \"3f9a7c1e5b2d8f4a6c0e9b7d5f3a1c8e\"",
    "token_id: q7Zt2Vb9Kx4Lm1Pn8Rs5",
    "secret_name = \"prod-db-2024-q7Zt2Vb9Kx4Lm1Pn8Rs5\"",
    "var a=function(e,t){return e.token=t.x9,n(e)};password:o.password,",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7v\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7v\n-----END CERTIFICATE-----",
    "if text.contains(\"-----BEGIN PRIVATE KEY-----\") { return Err(x); }",
    // Programs.
    "let password = read_password()?;",
    "password: String,",
    "password: string",
    "token: u64,",
    "secret: uint256",
    "const token = await getToken(user.id);",
    "self.password = config.password",
    "login(user, password=password1)",
    "max_tokens = 4096",
    "fn tokenize(input: &str) -> Vec<Token>",
    "token_type = \"Bearer\"",
    "let token = cookies.get(\"session\");",
    "password = os.environ[\"DB_PASSWORD\"]",
    "password = process.env.DB_PASSWORD_2",
    "api_key = settings.OPENAI_API_KEY",
    "apiKey: import.meta.env.VITE_KEY_2",
    "<input type=\"password\" name=\"password1\" placeholder=\"Password\">",
    "\"password\": \"Mot de passe\",",
    "\"password\": \"Password\",",
    "password_label = \"Choose a password with 8 characters\"",
    "import { token } from \"./auth2/token3/x4\"",
    "secret: \"my-app-secret-v2-2024\"",
    "Token::Ident(name) => 12,",
    "MovedAttribute(\"HTTPPasswordMgr\", \"urllib2\", \"urllib.request\")",
    "('http', 'name', 'password', 'localhost:22')",
    "Ok(TrafficSecrets::Chacha20Poly1305 { key, iv })",
    "let secret_expander = TLS13_CHACHA20_POLY1305_SHA256_INTERNAL",
    "accessKey: keyof Map<string, V2>",
    // Templates, masks, examples.
    "password: ${DB_PASSWORD}",
    "password: {{ .Values.db.password }}",
    "PASSWORD=$DB_PASSWORD",
    "password: <your-password-1>",
    "password = \"changeme123\"",
    "password = \"********\"",
    "api_key = \"YOUR_API_KEY_1234567890\"",
    "api_key = \"xxxxxxxxxxxxxxxxxxxxxxxx\"",
    "token = \"abcdefghijklmnop1234567890\"",
    "AK|IAIOSFODNN7EXAMPLE",
    "gh|p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk|-learn-contrib-2-long-enough-name",
    "task-9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Basic authentication",
    "Basic authorization: see RFC 7617",
    "postgres://postgres:postgres@localhost/x",
    "postgres://user:password@localhost:5432/db",
    "postgres://${USER}:${PASS}@host/db",
    "https://example.com/a:b@c",
    "http://[::1]:8080/x@y",
    "ssh://git@github.com/a/b",
    "std::fmt://x",
    "https://user@example.com:8080/",
];

fn whole(text: &str) -> String {
    text.replace('|', "")
}

#[test]
fn secrets_are_found_and_nothing_beside_them() {
    let mut wrong = Vec::new();
    for (text, kind, left) in SECRETS {
        let text = whole(text);
        let Redacted { text: hidden, found } = redact(&text);
        let mark = markers(&hidden).pop().unwrap_or_default();
        let kinds: Vec<&str> = found.iter().map(|it| it.kind).collect();
        if kinds != [*kind] || (!left.is_empty() && hidden.replace(&mark, "#") != *left) {
            wrong.push(format!("{text}\n    {kinds:?} {hidden}"));
        }
        let again = redact(&hidden);
        assert_eq!((again.text.as_str(), again.found.len()), (hidden.as_str(), 0), "{text}");
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), SECRETS.len(), wrong.join("\n"));
}

#[test]
fn what_is_no_secret_stays() {
    let wrong: Vec<String> = PLAIN
        .iter()
        .map(|it| whole(it))
        .filter(|it| redact(it).text != *it)
        .map(|it| format!("{it}\n    {}", redact(&it).text))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), PLAIN.len(), wrong.join("\n"));
}

#[test]
fn a_key_block_keeps_its_lines() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu";
    for name in ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let text = format!("a\n-----BEGIN {name}-----\n{body}\n-----END {name}-----\nb = 1\n");
        let Redacted { text: hidden, found } = redact(&text);
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!(hidden.lines().count(), text.lines().count(), "{hidden}");
        assert!(
            hidden.contains("[redacted: private-key #")
                && hidden.ends_with("-----\nb = 1\n")
                && !hidden.contains("MII")
        );
        // One that was cut off, and one on one line as in JSON.
        let cut = redact(&text[..text.find("-----END").unwrap()]).text;
        assert!(!cut.contains("MII"), "{cut}");
        let json = redact(&text.replace('\n', "\\n")).text;
        assert!(!json.contains("MII") && json.ends_with("b = 1\\n"), "{json}");
    }
}

#[test]
fn the_same_secret_has_the_same_marker_and_another_has_another() {
    let text = whole(
        "a=gh|p_16C7e42F292c6912E7710c838347Ae178B4a b=gh|p_26C7e42F292c6912E7710c838347Ae178B4a c=gh|p_16C7e42F292c6912E7710c838347Ae178B4a",
    );
    let marks = markers(&redact(&text).text);
    assert_eq!(marks.len(), 3);
    assert!(marks[0] == marks[2] && marks[0] != marks[1] && marks.iter().all(|it| is_marker(it)), "{marks:?}");
    for text in
        ["[redacted: x]", "[redacted: x #12]", "[redacted: x #12fg]", "[redacted: x #12ff] ", "[redacted:  #12ff]"]
    {
        assert!(!is_marker(text), "{text}");
    }
    assert_eq!(
        markers("a [redacted: jwt #0a1b][redacted: password #ffff] [redacted: "),
        ["[redacted: jwt #0a1b]", "[redacted: password #ffff]"]
    );
}

#[test]
fn a_marker_is_never_hidden_again() {
    for text in [
        "password = \"[redacted: password #1a2b]\"",
        "password: [redacted: password #1a2b]\n",
        "postgres://u:[redacted: url-password #1a2b]@h/x",
        "Authorization: Bearer [redacted: authorization #1a2b]",
        "DB_PASSWORD=[redacted: password #1a2b]",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn any_text_is_redacted_in_bounds_and_once() {
    // Pieces of everything above, cut and joined at random, so that every rule meets every other's leftovers.
    let pieces: Vec<String> = SECRETS.iter().map(|it| whole(it.0)).chain(PLAIN.iter().map(|it| whole(it))).collect();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..4_000 {
        let mut text = String::new();
        for _ in 0..random.usize(1..5) {
            let piece: Vec<char> = pieces[random.usize(..pieces.len())].chars().collect();
            let (a, b) = (random.usize(..=piece.len()), random.usize(..=piece.len()));
            text.extend(&piece[a.min(b)..a.max(b)]);
            text.push_str(["", " ", "\n", "\"", "密", "=", "\\"][random.usize(..7)]);
        }
        let Redacted { text: hidden, found } = redact(&text);
        assert!(found.windows(2).all(|it| it[0].at.end <= it[1].at.start), "{text:?}");
        assert_eq!(hidden.matches('\n').count(), text.matches('\n').count(), "{text:?}");
    }
}

#[test]
fn no_text_keeps_it_busy() {
    // Every sign over and over; work that grows with the square would take hours.
    for word in [
        "eyJ",
        "-eyJ",
        "://",
        "a://b:",
        "password=",
        "password=\"",
        "-----BEGIN PRIVATE KEY-----",
        "glpat-",
        "sk-",
        "bearer ",
        "token:",
    ] {
        let text = word.repeat((64 << 10) / word.len());
        assert!(redact(&text).text.len() <= text.len() * 4, "{word}");
    }
}
