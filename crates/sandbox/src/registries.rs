//! Where package managers fetch from: an install that is consented to reaches these hosts and no others.
//!
//! Of configurations only the names of hosts are taken, never what else stands there.

use std::env;
use std::fs;
use std::path::Path;

use crate::proxy::{Hosts, local_port};
use ox_protocol::word_list::{lines, words};

/// A line for each ecosystem: programs, hosts, variables and settings, separated by `|`.
const TABLE: &str = include_str!("tables/registries.txt");

/// Bytes of settings that are looked through.
const SETTINGS: u64 = 256 << 10;

/// The hosts that the package manager `program` fetches from in the project at `root`: its ecosystem's own, and those that
/// the environment and the settings of the user or the project name. Empty where it is not known.
pub fn registries(program: &str, root: &Path, home: Option<&Path>) -> Vec<String> {
    let plain = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    let rows = lines(TABLE).map(|line| line.split('|').map(|it| words(it).collect::<Vec<_>>()).collect::<Vec<_>>());
    let mut rows = rows.filter_map(|row| <[Vec<&str>; 4]>::try_from(row).ok());
    let Some([_, hosts, variables, files]) = rows.find(|it| it[0].contains(&plain)) else { return Vec::new() };
    let mut all: Vec<String> = hosts.into_iter().map(str::to_owned).collect();
    let named = variables.into_iter().filter_map(|it| env::var(it).ok());
    let folders = [Some(root), home].into_iter().flatten();
    let settings = folders.flat_map(|folder| files.iter().map(|it| folder.join(it)));
    let settings = settings.filter(|it| fs::metadata(it).is_ok_and(|it| it.is_file() && it.len() <= SETTINGS));
    let lines = settings.filter_map(|it| fs::read_to_string(it).ok()).flat_map(|text| {
        // A page about the project is none that it fetches from.
        let of_registry =
            |it: &&str| ["registr", "index", "source", "mirror", "url", "GOPROXY"].iter().any(|k| it.contains(k));
        let other = |it: &&str| {
            ["homepage", "repository", "documentation", "Homepage", "Repository"].iter().any(|k| it.contains(k))
        };
        text.lines()
            .filter(|it| of_registry(it) && !other(it) && !it.trim_start().starts_with('#'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    for host in named.chain(lines).flat_map(|it| hosts_in(&it)) {
        if !all.contains(&host) {
            all.push(host);
        }
    }
    all
}

/// The hosts of the addresses in `text` that can be allowed.
fn hosts_in(text: &str) -> Vec<String> {
    let addresses = text.match_indices("://").map(|(at, mark)| (&text[..at], &text[at + mark.len()..]));
    let hosts =
        addresses.filter(|(before, _)| before.ends_with("http") || before.ends_with("https")).map(|(_, rest)| {
            let end = rest.find(|it: char| "/?#\"'<>,| \t".contains(it)).unwrap_or(rest.len());
            let host = rest[..end].rsplit('@').next().unwrap_or_default();
            host.strip_suffix(":443").or_else(|| host.strip_suffix(":80")).unwrap_or(host).to_ascii_lowercase()
        });
    let allowed = |it: &String| local_port(it).is_some() || Hosts::parse(std::slice::from_ref(it)).is_ok();
    hosts.filter(allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_come_from_the_table_and_from_settings() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let of = |program: &str| registries(program, root.path(), Some(home.path())).join(" ");
        assert_eq!(of("cargo"), "index.crates.io static.crates.io crates.io");
        assert_eq!(of("pip3.12"), of("pip"));
        assert!(of("npm").starts_with("registry.npmjs.org") && of("go").starts_with("proxy.golang.org sum.golang.org"));
        assert_eq!(of("make"), "");
        let npmrc = "registry=https://npm.corp.example.com/\n@own:registry=http://127.0.0.1:4873\n\
                     //npm.corp.example.com/:_authToken=secret\n# registry=https://old.example.com\n";
        fs::write(root.path().join(".npmrc"), npmrc).unwrap();
        assert!(of("pnpm").ends_with("npm.jsr.io npm.corp.example.com 127.0.0.1:4873"), "{}", of("pnpm"));
        fs::create_dir_all(home.path().join(".config/pip")).unwrap();
        let pip = "[global]\nindex-url = https://me:secret@pypi.corp.example.com:8443/simple\n";
        fs::write(home.path().join(".config/pip/pip.conf"), pip).unwrap();
        let project = "[project.urls]\nHomepage = \"https://project.example.com\"\n";
        fs::write(root.path().join("pyproject.toml"), project).unwrap();
        assert!(of("uv").ends_with("files.pythonhosted.org pypi.corp.example.com:8443"), "{}", of("uv"));
    }

    #[test]
    fn what_can_not_be_allowed_is_no_host() {
        assert_eq!(
            hosts_in("a=https://10.0.0.1/x,https://b.example.com|direct http:// ftp://c.example.com"),
            ["b.example.com"]
        );
    }
}
