//! The signals, and what each counts. The numbers were fitted by the method of `cargo xtask bench retrieval --calibrate`, with
//! and without history; only those of a given file, of a module and of a frame were set by hand: no case has the first, and few
//! the others.

/// The signals of one file.
pub(crate) type Row = [f32; COUNT];

macro_rules! signals {
    ($($signal:ident $name:literal $with:literal $without:literal,)*) => {
        /// What can speak for a file; its number is its place in a row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Signal { $($signal,)* }

        /// The names of the signals, in the order of a row.
        pub(crate) const NAMES: &[&str] = &[$($name,)*];

        /// What each counts where the history of commits is known, and where it is not.
        const WEIGHTS: [Row; 2] = [[$($with,)*], [$($without,)*]];
    };
}

signals! {
    Piece "best piece" 1.67 1.74,
    Pieces "best pieces" 0.75 1.45,
    TitleCovered "title in one place" 1.74 2.35,
    File "words" 0.23 1.11,
    StressedFile "stressed words" 0.39 0.54,
    Whole "identifiers" 0.71 0.97,
    TitlePath "title in the path" 0.59 0.93,
    Name "names" 0.66 0.82,
    Defines "defines" 0.30 0.42,
    Mention "mentioned" 2.56 2.61,
    // Few cases have a stack, and whether this is 1.2 or 2.8 changes nothing for them; a frame is no weaker than it looks.
    Frame "frame" 2.20 2.20,
    Together "changed together" 0.69 0.0,
    Folder "folder" 0.88 0.92,
    Said "said of it" 2.09 0.0,
    Size "size" 0.73 0.91,
    Test "test" -3.70 -3.94,
    Side "side" -1.13 -1.57,
    Text "text" -2.91 -3.33,
    // No case has a file that is being worked on; it counts as much as being mentioned and more.
    Given "given" 4.00 4.00,
    // Fitted by itself on what has vectors, all others as they are: without vectors nothing may change.
    Meaning "meaning" 0.20 0.20,
    Message "message" 1.11 1.12,
    // Nor does it change anything for the cases whether a dotted name that is the end of a path counts 0 or 2.
    Module "module" 1.00 1.00,
    Commit "commit" 2.26 0.0,
    Copied "copied" -0.43 -0.83,
    FirstPieces "first by pieces" 0.31 0.0,
    FirstTitle "first by title" 0.51 0.0,
    FirstWhole "first by identifiers" 0.53 0.0,
    FirstPath "first by path" 0.35 0.0,
}

/// How many signals there are.
pub(crate) const COUNT: usize = NAMES.len();

/// Each signal's share in the score of a row, in a project whose history is known or not.
pub(super) fn shares(history: bool, row: &Row) -> impl Iterator<Item = f32> {
    WEIGHTS[usize::from(!history)].iter().zip(row).map(|(weight, value)| weight * value)
}
