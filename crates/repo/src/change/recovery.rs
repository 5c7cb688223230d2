//! What is told of a transaction that was taken back.

use std::fmt;

/// What recovery after a crash has done. Its display is a sentence for the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Files whose change was taken back, relative to the root; none for a transaction that failed, which says so itself.
    pub files: Vec<String>,
    /// Files that somebody had changed since the crash, and which were therefore left as they are.
    pub kept: Vec<Kept>,
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<String> = self.files.iter().map(|it| format!("`{it}`")).collect();
        match &files[..] {
            [] => write!(f, "an edit that failed was taken back")?,
            some => write!(f, "an edit that was cut short was taken back: {}", some.join(", "))?,
        }
        for Kept { path, copy } in &self.kept {
            match copy {
                Some(copy) => {
                    write!(
                        f,
                        "; `{path}` has been changed since and was left alone, its state before the edit is `{copy}`"
                    )?;
                }
                None => write!(f, "; `{path}` has been changed since and was left alone")?,
            }
        }
        Ok(())
    }
}

/// A file that was not put back, because somebody had changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Relative to the root.
    pub path: String,
    /// Where the state before the transaction is; none where there was none, or it is lost.
    pub copy: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recovery_is_reported_in_a_sentence() {
        let kept = |path: &str, copy: Option<&str>| Kept { path: path.into(), copy: copy.map(str::to_owned) };
        let all = [
            Recovery { files: vec!["a".into(), "b".into()], kept: Vec::new() },
            Recovery { files: vec!["a".into()], kept: vec![kept("a", Some("a.before")), kept("b", None)] },
            Recovery { files: Vec::new(), kept: vec![kept("a", Some("a.before"))] },
        ];
        expect_test::expect![[r#"
            an edit that was cut short was taken back: `a`, `b`
            an edit that was cut short was taken back: `a`; `a` has been changed since and was left alone, its state before the edit is `a.before`; `b` has been changed since and was left alone
            an edit that failed was taken back; `a` has been changed since and was left alone, its state before the edit is `a.before`
        "#]].assert_eq(&all.map(|it| format!("{it}\n")).concat());
    }
}
