//! Tokens that are known by their prefix, as their issuers document them. One line each.

use std::ops::Range;

use super::looks::{distinct, is_placeholder};

/// A kind of token.
pub(super) struct Token {
    pub kind: &'static str,
    pub prefix: &'static str,
    /// What may follow the prefix.
    body: fn(u8) -> bool,
    /// How long what follows is.
    length: Range<usize>,
}

/// No token is longer; what is, is data.
const LONGEST: usize = 4096;

const fn token(kind: &'static str, prefix: &'static str, body: fn(u8) -> bool, length: Range<usize>) -> Token {
    Token { kind, prefix, body, length }
}

fn alnum(it: u8) -> bool {
    it.is_ascii_alphanumeric()
}
fn upper(it: u8) -> bool {
    it.is_ascii_uppercase() || it.is_ascii_digit()
}
fn hex(it: u8) -> bool {
    it.is_ascii_hexdigit()
}
/// The alphabet of base64 in addresses.
fn word(it: u8) -> bool {
    it.is_ascii_alphanumeric() || it == b'_' || it == b'-'
}
fn dotted(it: u8) -> bool {
    word(it) || it == b'.'
}

pub(super) const TOKENS: &[Token] = &[
    // Clouds.
    token("aws-key", "AKIA", upper, 16..17),
    token("aws-key", "ASIA", upper, 16..17),
    token("aws-key", "ABIA", upper, 16..17),
    token("aws-key", "ACCA", upper, 16..17),
    token("aws-key", "ABSK", |it| word(it) || it == b'+' || it == b'/' || it == b'=', 100..300),
    token("google-key", "AIza", word, 35..36),
    token("google-token", "ya29.", dotted, 20..LONGEST),
    token("google-token", "GOCSPX-", word, 20..40),
    token("google-token", "1//0", word, 40..200),
    token("digitalocean-token", "dop_v1_", hex, 64..65),
    token("digitalocean-token", "doo_v1_", hex, 64..65),
    token("digitalocean-token", "dor_v1_", hex, 64..65),
    token("heroku-token", "HRKU-", word, 30..100),
    token("fly-token", "FlyV1 ", |it| word(it) || b"+/=,".contains(&it), 40..LONGEST),
    token("cloudflare-key", "v1.0-", |it| hex(it) || it == b'-', 140..200),
    token("alibaba-key", "LTAI", alnum, 16..24),
    // Code and packages.
    token("github-token", "ghp_", alnum, 36..256),
    token("github-token", "gho_", alnum, 36..256),
    token("github-token", "ghu_", alnum, 36..256),
    token("github-token", "ghs_", alnum, 36..256),
    token("github-token", "ghr_", alnum, 36..256),
    token("github-token", "github_pat_", word, 60..256),
    token("gitlab-token", "glpat-", dotted, 20..300),
    token("gitlab-token", "gldt-", word, 20..100),
    token("gitlab-token", "glrt-", dotted, 20..100),
    token("gitlab-token", "glcbt-", word, 20..100),
    token("gitlab-token", "glptt-", word, 20..100),
    token("gitlab-token", "glft-", word, 20..100),
    token("gitlab-token", "glsoat-", word, 20..100),
    token("gitlab-token", "gloas-", word, 40..100),
    token("bitbucket-token", "ATBB", alnum, 28..200),
    token("atlassian-token", "ATATT3", |it| word(it) || it == b'=', 60..300),
    token("atlassian-token", "ATCTT3", |it| word(it) || it == b'=', 60..300),
    token("npm-token", "npm_", alnum, 36..37),
    token("pypi-token", "pypi-", word, 80..300),
    token("rubygems-token", "rubygems_", hex, 48..49),
    token("crates-token", "cio", alnum, 32..33),
    token("docker-token", "dckr_pat_", word, 20..60),
    token("docker-token", "dckr_oat_", word, 20..60),
    token("circleci-token", "CCIPAT_", word, 30..100),
    token("buildkite-token", "bkua_", hex, 40..41),
    token("sonar-token", "squ_", hex, 40..41),
    token("sonar-token", "sqp_", hex, 40..41),
    token("jfrog-key", "AKCp", alnum, 60..80),
    // Models.
    token("anthropic-key", "sk-ant-", word, 24..200),
    token("openai-key", "sk-proj-", word, 24..300),
    token("openai-key", "sk-svcacct-", word, 24..300),
    token("openai-key", "sk-admin-", word, 24..300),
    token("openrouter-key", "sk-or-", word, 24..200),
    token("api-key", "sk-", alnum, 20..200),
    token("langsmith-key", "lsv2_", word, 32..100),
    token("groq-key", "gsk_", alnum, 40..80),
    token("xai-key", "xai-", alnum, 60..120),
    token("perplexity-key", "pplx-", alnum, 40..80),
    token("replicate-token", "r8_", alnum, 36..41),
    token("huggingface-token", "hf_", alnum, 32..41),
    token("huggingface-token", "api_org_", alnum, 32..41),
    token("fireworks-key", "fw_", alnum, 22..41),
    token("cerebras-key", "csk-", alnum, 40..60),
    token("tavily-key", "tvly-", word, 28..60),
    token("nvidia-key", "nvapi-", word, 60..80),
    token("voyage-key", "pa-", word, 40..50),
    // Talk and mail.
    token("slack-token", "xoxb-", word, 20..200),
    token("slack-token", "xoxp-", word, 20..200),
    token("slack-token", "xoxa-", word, 20..200),
    token("slack-token", "xoxr-", word, 20..200),
    token("slack-token", "xoxs-", word, 20..200),
    token("slack-token", "xoxc-", word, 20..200),
    token("slack-token", "xoxd-", |it| word(it) || b"%+/=".contains(&it), 20..300),
    token("slack-token", "xoxe.", dotted, 20..300),
    token("slack-token", "xoxe-", word, 20..300),
    token("slack-token", "xapp-", word, 20..200),
    token("sendgrid-key", "SG.", dotted, 50..80),
    token("mailgun-key", "key-", hex, 32..33),
    token("brevo-key", "xkeysib-", word, 64..100),
    token("twilio-key", "SK", |it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it), 32..33),
    token("resend-key", "re_", word, 30..40),
    // Money and shops.
    token("stripe-key", "sk_live_", alnum, 16..256),
    token("stripe-key", "sk_test_", alnum, 16..256),
    token("stripe-key", "rk_live_", alnum, 16..256),
    token("stripe-key", "rk_test_", alnum, 16..256),
    token("stripe-key", "whsec_", |it| alnum(it) || b"+/=".contains(&it), 24..100),
    token("square-token", "sq0atp-", word, 22..23),
    token("square-token", "sq0csp-", word, 43..44),
    token("square-token", "EAAA", word, 60..61),
    token("shopify-token", "shpat_", hex, 32..33),
    token("shopify-token", "shpca_", hex, 32..33),
    token("shopify-token", "shppa_", hex, 32..33),
    token("shopify-token", "shpss_", hex, 32..33),
    // Running and watching things.
    token("vault-token", "hvs.", word, 24..200),
    token("vault-token", "hvb.", word, 24..300),
    token("vault-token", "hvr.", word, 24..300),
    token("grafana-token", "glsa_", |it| alnum(it) || it == b'_', 41..42),
    token("grafana-token", "glc_", |it| alnum(it) || b"+/=".contains(&it), 32..400),
    token("newrelic-key", "NRAK-", alnum, 27..28),
    token("newrelic-key", "NRAL-", alnum, 27..28),
    token("sentry-token", "sntrys_", |it| word(it) || b"+/=".contains(&it), 40..300),
    token("sentry-token", "sntryu_", hex, 64..65),
    token("databricks-token", "dapi", hex, 32..33),
    token("doppler-token", "dp.pt.", alnum, 40..60),
    token("doppler-token", "dp.st.", dotted, 40..80),
    token("planetscale-token", "pscale_tkn_", dotted, 32..80),
    token("planetscale-password", "pscale_pw_", dotted, 32..80),
    token("supabase-key", "sbp_", hex, 40..41),
    token("supabase-key", "sb_secret_", word, 20..60),
    token("netlify-token", "nfp_", alnum, 36..50),
    token("pulumi-token", "pul-", hex, 40..41),
    token("tailscale-key", "tskey-", word, 20..80),
    token("age-key", "AGE-SECRET-KEY-1", upper, 58..59),
    token("onepassword-token", "ops_eyJ", |it| word(it) || b"+/=".contains(&it), 100..LONGEST),
    token("postman-key", "PMAK-", word, 50..70),
    token("linear-key", "lin_api_", alnum, 32..60),
    token("notion-token", "ntn_", alnum, 40..60),
    token("figma-token", "figd_", word, 36..60),
    token("contentful-token", "CFPAT-", word, 40..60),
    token("terraform-token", "atlasv1.", word, 60..80),
    token("telegram-token", ":AA", word, 33..34),
    token("azure-secret", "Q~", |it| word(it) || it == b'.' || it == b'~', 31..36),
    token("mapbox-token", "sk.eyJ", dotted, 60..200),
    token("jwt", "eyJ", dotted, 20..LONGEST),
];

impl Token {
    /// Where the token is whose prefix stands at `start`, in any case.
    pub fn at(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let body = start + self.prefix.len();
        if !text[start..].starts_with(self.prefix) {
            return None;
        }
        let window = bytes[body..].iter().take(self.length.end + 1);
        let end = body + window.take_while(|it| (self.body)(**it)).count();
        // What ends a sentence is no part of it.
        let end = end - bytes[body..end].iter().rev().take_while(|it| matches!(it, b'.' | b',')).count();
        let found = self.begin(bytes, start)?..end;
        let fits = self.length.contains(&(end - body)) && self.is_meant(&text[body..end]);
        fits.then_some(found)
    }

    /// Where it begins: at its prefix, which nothing precedes that could be a part of a longer word.
    fn begin(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let before = |at: usize| at.checked_sub(1).map(|it| bytes[it]);
        let run = |is: fn(u8) -> bool, most: usize| {
            bytes[..start].iter().rev().take(most + 1).take_while(|it| is(**it)).count()
        };
        let (from, count) = match self.prefix {
            // A number stands before these, or the first part of the secret.
            ":AA" => (start.checked_sub(run(|it| it.is_ascii_digit(), 12))?, 8..13),
            "Q~" => (start.checked_sub(run(word, 4))?, 4..5),
            "atlasv1." => (start.checked_sub(run(dotted, 15))?, 15..16),
            _ => (start, 0..1),
        };
        let is_free = before(from).is_none_or(|it| !it.is_ascii_alphanumeric() && it != b'_');
        (is_free && count.contains(&(start - from))).then_some(from)
    }

    fn is_meant(&self, body: &str) -> bool {
        let has = |is: fn(&u8) -> bool| body.bytes().any(|it| is(&it));
        let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
        let parts = body.split('.').count();
        match self.kind {
            // Header, claims, signature; five parts where it is encrypted.
            "jwt" => (parts == 3 || parts == 5) && body.split('.').take(2).all(|it| it.len() >= 8),
            "sendgrid-key" => parts == 2 && mixed,
            "aws-key" => !body.contains("EXAMPLE") && distinct(body) > 5,
            _ => mixed && !is_placeholder(body) && distinct(body) > 7,
        }
    }
}
