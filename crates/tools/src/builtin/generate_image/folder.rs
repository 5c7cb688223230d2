//! Where a project keeps the pictures that it serves, and a free name there. It reads the project and changes nothing.

use std::path::Path;

/// Files that tell what kind of project it is, and the folder of its public pictures.
const KINDS: &[(&str, &str)] = &[
    ("hugo.toml", "static/images"),
    ("hugo.yaml", "static/images"),
    ("gatsby-config.js", "static/images"),
    ("gatsby-config.ts", "static/images"),
    ("svelte.config.js", "static/images"),
    ("docusaurus.config.js", "static/img"),
    ("docusaurus.config.ts", "static/img"),
    ("pubspec.yaml", "assets/images"),
    ("_config.yml", "assets/images"),
    ("config/routes.rb", "app/assets/images"),
];

/// Folders of pictures, the usual one first; the first that is there is meant.
const FOLDERS: &[&str] = &[
    "public/images",
    "public/img",
    "public/assets/images",
    "public/assets/img",
    "public/assets",
    "static/images",
    "static/img",
    "static/assets",
    "src/assets/images",
    "src/assets/img",
    "src/assets",
    "app/assets/images",
    "assets/images",
    "assets/img",
    "wwwroot/images",
    "wwwroot/img",
    "src/main/resources/static/images",
    "resources/images",
    "images",
];

/// Folders of public files, and the folder of pictures that is made in them.
const MADE: &[(&str, &str)] = &[
    ("public", "public/images"),
    ("static", "static/images"),
    ("wwwroot", "wwwroot/images"),
    ("src/main/resources", "src/main/resources/static/images"),
    ("package.json", "public/images"),
];

/// Endings under which a name counts as taken: two pictures that differ in nothing else are mistaken for one another.
const ENDINGS: &[&str] = &["png", "jpg", "jpeg", "webp", "gif", "svg", "avif"];

/// Words of a prompt that a name is made of.
const WORDS: usize = 6;
/// Characters of the longest name.
const LONGEST: usize = 60;

/// The folder of public pictures of the project at `root`, relative to it; it may not be there yet.
pub(super) fn folder(root: &Path) -> &'static str {
    let is_dir = |it: &str| root.join(it).is_dir();
    if let Some((_, usual)) = KINDS.iter().find(|(mark, _)| root.join(mark).is_file()) {
        // In such a project a folder of another name may be what is built, and is thrown away.
        let top = usual.split('/').next().unwrap_or_default();
        let own = FOLDERS.iter().find(|it| it.split('/').next() == Some(top) && is_dir(it));
        return own.unwrap_or(usual);
    }
    if let Some(there) = FOLDERS.iter().find(|it| is_dir(it)) {
        return there;
    }
    MADE.iter().find(|(mark, _)| root.join(mark).exists()).map_or("assets/images", |(_, made)| made)
}

/// A path without ending, relative to `root`, under which no picture lies.
pub(super) fn free(root: &Path, prompt: &str, name: Option<&str>) -> String {
    let folder = folder(root);
    let stem = name.and_then(stem).unwrap_or_else(|| of_words(prompt));
    let taken =
        |path: &str| ENDINGS.iter().any(|it| std::fs::symlink_metadata(root.join(format!("{path}.{it}"))).is_ok());
    let numbered = (2..).map(|number| format!("{folder}/{stem}-{number}"));
    let mut paths = std::iter::once(format!("{folder}/{stem}")).chain(numbered);
    paths.find(|it| !taken(it)).expect("invariant: the numbers do not end")
}

/// A file name without its ending; none where it is no plain name.
pub(super) fn stem(name: &str) -> Option<String> {
    let name = name.trim();
    let stem = match name.rsplit_once('.') {
        Some((stem, ending)) if ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) => stem,
        _ => name,
    };
    let plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    let right = !stem.is_empty() && stem.len() <= LONGEST && stem.chars().all(plain) && !stem.starts_with(['.', '-']);
    right.then(|| stem.to_string())
}

/// A name made of the first words of a prompt; `image` where it has none that a file name could have.
fn of_words(prompt: &str) -> String {
    let lower = prompt.to_lowercase();
    let words = lower.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    let telling = words.filter(|it| !["a", "an", "the", "of", "in", "on", "with", "and"].contains(it) || it.len() > 3);
    let mut name = String::new();
    for word in telling.take(WORDS) {
        if name.len() + 1 + word.len() > LONGEST {
            break;
        }
        name = if name.is_empty() { word.to_string() } else { format!("{name}-{word}") };
    }
    if name.is_empty() { "image".to_string() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_project_has_its_folder() {
        let cases: [(&[&str], &str); 10] = [
            (&[], "assets/images"),
            (&["package.json"], "public/images"),
            (&["public/index.html"], "public/images"),
            (&["package.json", "public/img/x.png"], "public/img"),
            (&["static/style.css"], "static/images"),
            (&["hugo.toml", "public/images/built.png"], "static/images"),
            (&["svelte.config.js", "static/img/x.png"], "static/img"),
            (&["src/assets/logo.svg"], "src/assets"),
            (&["config/routes.rb", "public/404.html"], "app/assets/images"),
            (&["assets/images/x.png", "package.json"], "assets/images"),
        ];
        for (files, expected) in cases {
            let dir = tempfile::tempdir().unwrap();
            for file in files {
                let path = dir.path().join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, "").unwrap();
            }
            assert_eq!(folder(dir.path()), expected, "{files:?}");
        }
    }

    #[test]
    fn names_are_plain_and_free() {
        let dir = tempfile::tempdir().unwrap();
        let path = |prompt: &str, name| free(dir.path(), prompt, name);
        assert_eq!(
            path("The ox, in a field of tall grass at dawn!", None),
            "assets/images/ox-field-tall-grass-at-dawn"
        );
        assert_eq!(path("一头牛", None), "assets/images/image");
        assert_eq!(path("x", Some("Hero-2.PNG")), "assets/images/Hero-2");
        std::fs::create_dir_all(dir.path().join("assets/images")).unwrap();
        for taken in ["hero.svg", "hero-2.webp"] {
            std::fs::write(dir.path().join("assets/images").join(taken), "").unwrap();
        }
        assert_eq!(path("x", Some("hero.png")), "assets/images/hero-3");
        for wrong in ["", "a/b", "..", ".env", "a b", "-rf", "x\0y", &"y".repeat(61)] {
            assert_eq!(stem(wrong), None, "{wrong:?}");
        }
    }
}
