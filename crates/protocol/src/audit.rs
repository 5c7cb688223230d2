//! What an audit of a change found: what is not finished, and what makes the evidence weaker than it looks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that an audit found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AuditFinding {
    /// What it is.
    pub kind: AuditKind,
    /// The file, relative to the project root.
    pub file: String,
    /// The line as the file is now, from 1; of what is gone the line where it stood. 0 where it is about the whole file.
    pub line: u32,
    /// What it is about: a test, an import, a rule, a key.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The line itself as it was; empty where it is new.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// The line itself as it is; empty where it is gone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub now: String,
}

/// How large a change is, by the files as they were before and as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeSize {
    /// Files that differ, those aside that programs write.
    pub files: u32,
    /// Lines that are new and lines that are gone.
    pub lines: u32,
}

impl ChangeSize {
    /// False where nothing is known of it.
    pub fn is_empty(&self) -> bool {
        *self == ChangeSize::default()
    }
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditKind {
    /// A changed file cannot be read in its language and could be before.
    DoesNotParse,
    /// A changed file cannot be read by a grammar that does not know everything, and could be before.
    MayNotParse,
    /// An import stands for no file of the project.
    ImportMissing,
    /// What is imported from a file of the project is not there.
    NameMissing,
    /// Files import one another that did not before.
    ImportCycle,
    /// Something outside of the allowed scope was changed.
    OutOfScope,
    /// A line that was added holds a secret.
    SecretAdded,
    /// A step of the plan names a file that was not touched.
    PlannedFileLeft,
    /// A test is gone.
    TestDeleted,
    /// A test is gone that the user asked to delete.
    TestDeletedAsAsked,
    /// A test is there and its runner no longer finds it.
    TestHidden,
    /// A test is skipped.
    TestSkipped,
    /// One test is marked to run alone, so that the others do not.
    TestFocused,
    /// A test checks less than before: an assertion is gone.
    AssertionRemoved,
    /// An assertion accepts more than before.
    AssertionWeakened,
    /// A test that failed expects something else now.
    FailingTestChanged,
    /// A test expects something else now.
    ExpectationChanged,
    /// A new test cannot fail.
    TestProvesNothing,
    /// New tests pass without the change that they came with.
    PassesWithoutChange,
    /// The code answers the input of a test with what that test expects.
    SpecialCased,
    /// A check looks at less than before, or passes whatever happens.
    CheckLoosened,
    /// A tool is told not to complain.
    Suppressed,
    /// A time limit or a number of tries was raised.
    LimitRaised,
    /// An error is caught and nothing is done about it.
    ErrorSwallowed,
}

/// What follows from a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuditWeight {
    /// The turn cannot end with it.
    Error,
    /// What decides over the turn was made weaker: put to the model once, and where it stays the turn is not verified.
    Weakens,
    /// Put to the model once, and named at the end where it stays.
    Doubt,
    /// Named at the end.
    Note,
}

impl AuditFinding {
    /// True for a test of which `other` says already that it cannot fail: that it passes without the change is no news then.
    pub fn repeats(&self, other: &AuditFinding) -> bool {
        (self.kind, other.kind) == (AuditKind::PassesWithoutChange, AuditKind::TestProvesNothing)
            && (&self.file, &self.about) == (&other.file, &other.about)
    }

    /// True for the same finding; lines move with every edit and do not count.
    pub fn is_same(&self, other: &AuditFinding) -> bool {
        let about = |it: &AuditFinding| (it.kind, it.file.clone(), it.about.clone(), it.before.clone(), it.now.clone());
        about(self) == about(other)
    }
}

impl AuditKind {
    /// All of them.
    pub const ALL: [AuditKind; 23] = [
        AuditKind::DoesNotParse,
        AuditKind::MayNotParse,
        AuditKind::ImportMissing,
        AuditKind::NameMissing,
        AuditKind::ImportCycle,
        AuditKind::OutOfScope,
        AuditKind::SecretAdded,
        AuditKind::PlannedFileLeft,
        AuditKind::TestDeleted,
        AuditKind::TestHidden,
        AuditKind::TestSkipped,
        AuditKind::TestFocused,
        AuditKind::AssertionRemoved,
        AuditKind::AssertionWeakened,
        AuditKind::FailingTestChanged,
        AuditKind::ExpectationChanged,
        AuditKind::TestProvesNothing,
        AuditKind::PassesWithoutChange,
        AuditKind::SpecialCased,
        AuditKind::CheckLoosened,
        AuditKind::Suppressed,
        AuditKind::LimitRaised,
        AuditKind::ErrorSwallowed,
    ];

    /// What follows from it.
    pub fn weight(self) -> AuditWeight {
        use AuditKind as K;
        match self {
            K::DoesNotParse | K::ImportMissing | K::NameMissing | K::ImportCycle | K::OutOfScope | K::SecretAdded => {
                AuditWeight::Error
            }
            K::TestDeleted
            | K::TestHidden
            | K::TestSkipped
            | K::TestFocused
            | K::AssertionRemoved
            | K::AssertionWeakened
            | K::FailingTestChanged
            | K::SpecialCased
            | K::CheckLoosened => AuditWeight::Weakens,
            K::MayNotParse
            | K::PlannedFileLeft
            | K::TestProvesNothing
            | K::PassesWithoutChange
            | K::Suppressed
            | K::LimitRaised
            | K::ErrorSwallowed => AuditWeight::Doubt,
            K::ExpectationChanged | K::TestDeletedAsAsked => AuditWeight::Note,
        }
    }

    /// The code under which the catalogue words it, for example `audit.test_deleted`.
    pub fn code(self) -> &'static str {
        match self {
            AuditKind::DoesNotParse => "audit.does_not_parse",
            AuditKind::MayNotParse => "audit.may_not_parse",
            AuditKind::ImportMissing => "audit.import_missing",
            AuditKind::NameMissing => "audit.name_missing",
            AuditKind::ImportCycle => "audit.import_cycle",
            AuditKind::OutOfScope => "audit.out_of_scope",
            AuditKind::SecretAdded => "audit.secret_added",
            AuditKind::PlannedFileLeft => "audit.planned_file_left",
            AuditKind::TestDeleted => "audit.test_deleted",
            AuditKind::TestDeletedAsAsked => "audit.test_deleted_as_asked",
            AuditKind::TestHidden => "audit.test_hidden",
            AuditKind::TestSkipped => "audit.test_skipped",
            AuditKind::TestFocused => "audit.test_focused",
            AuditKind::AssertionRemoved => "audit.assertion_removed",
            AuditKind::AssertionWeakened => "audit.assertion_weakened",
            AuditKind::FailingTestChanged => "audit.failing_test_changed",
            AuditKind::ExpectationChanged => "audit.expectation_changed",
            AuditKind::TestProvesNothing => "audit.test_proves_nothing",
            AuditKind::PassesWithoutChange => "audit.passes_without_change",
            AuditKind::SpecialCased => "audit.special_cased",
            AuditKind::CheckLoosened => "audit.check_loosened",
            AuditKind::Suppressed => "audit.suppressed",
            AuditKind::LimitRaised => "audit.limit_raised",
            AuditKind::ErrorSwallowed => "audit.error_swallowed",
        }
    }
}
