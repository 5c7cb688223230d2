//! Addresses on the web: of pages and of services, and what is wrong with one that cannot be asked.

use reqwest::Url;

/// Reads an address; one without a scheme is taken for `https`.
pub fn parse(text: &str) -> Result<Url, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("`url` is empty".into());
    }
    let whole = if text.contains("://") { text.to_string() } else { format!("https://{text}") };
    let mut url = Url::parse(&whole).map_err(|error| format!("`{text}` is no address of a page: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "`{text}`: only http and https can be fetched; files of the project are read with read_file"
        ));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(format!("`{text}` names no host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address with a user name or password is not fetched".into());
    }
    url.set_fragment(None);
    Ok(url)
}

/// An error with its innermost cause, which is the one that tells something.
pub fn innermost(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(next) = inner.source() {
        inner = next;
    }
    inner.to_string()
}

/// The host as rules and consent name it: lower case, without port and brackets.
pub fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    host.trim_start_matches('[').trim_end_matches(']').to_string()
}

/// The proxy that the environment names for `url`; none where it is to be reached directly.
pub fn proxy(url: &Url, env: impl Fn(&str) -> Option<String>) -> Option<String> {
    let either = |name: &str| env(name).or_else(|| env(&name.to_uppercase())).filter(|it| !it.trim().is_empty());
    let host = host(url);
    let spared = either("no_proxy").unwrap_or_default();
    let spares = |entry: &str| {
        let entry = entry.trim().trim_start_matches("*.").trim_start_matches('.').to_ascii_lowercase();
        entry == "*" || !entry.is_empty() && (host == entry || host.ends_with(&format!(".{entry}")))
    };
    if spared.split(',').any(spares) {
        return None;
    }
    either(&format!("{}_proxy", url.scheme())).or_else(|| either("all_proxy"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn only_pages_have_addresses() {
        let table: Vec<String> = [
            "https://Example.ORG./a#part",
            "example.org/a b",
            "http://[::1]:80/",
            "http://0x7f.1/",
            "file:///etc/passwd",
            "https://user:pw@example.org/",
            "ftp://example.org",
            "https://",
            "javascript:alert(1)",
            " ",
        ]
        .map(|it| parse(it).map_or_else(|why| format!("no: {why}"), |url| format!("{url} at {}", host(&url))))
        .to_vec();
        expect![[r#"
            https://example.org./a at example.org
            https://example.org/a%20b at example.org
            http://[::1]/ at ::1
            http://127.0.0.1/ at 127.0.0.1
            no: `file:///etc/passwd`: only http and https can be fetched; files of the project are read with read_file
            no: an address with a user name or password is not fetched
            no: `ftp://example.org`: only http and https can be fetched; files of the project are read with read_file
            no: `https://` is no address of a page: empty host
            no: `javascript:alert(1)` is no address of a page: invalid port number
            no: `url` is empty"#]]
        .assert_eq(&table.join("\n"));
    }

    #[test]
    fn the_environment_says_whether_there_is_a_proxy() {
        let proxied = |address: &str, variables: &[(&str, &str)]| {
            let env = |name: &str| variables.iter().find(|it| it.0 == name).map(|it| it.1.to_string());
            proxy(&parse(address).unwrap(), env).unwrap_or_else(|| "-".into())
        };
        let (here, there) = ("http://proxy:3128", "http://other:1");
        assert_eq!(proxied("https://a.org", &[]), "-");
        assert_eq!(proxied("https://a.org", &[("https_proxy", here), ("http_proxy", there)]), here);
        assert_eq!(proxied("http://a.org", &[("https_proxy", here)]), "-");
        assert_eq!(proxied("http://a.org", &[("ALL_PROXY", here)]), here);
        assert_eq!(proxied("https://x.a.org", &[("HTTPS_PROXY", here), ("NO_PROXY", "b.org, .a.org")]), "-");
        assert_eq!(proxied("https://ba.org", &[("HTTPS_PROXY", here), ("no_proxy", "a.org")]), here);
        assert_eq!(proxied("https://ba.org", &[("HTTPS_PROXY", here), ("no_proxy", "*")]), "-");
        assert_eq!(proxied("https://a.org", &[("HTTPS_PROXY", " ")]), "-");
    }
}
