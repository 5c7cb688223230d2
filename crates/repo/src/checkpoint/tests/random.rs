//! Random trees and random changes: whatever was recorded comes back as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use ox_protocol::CheckpointReason;

use super::fixture::{Fixture, note};

/// A small generator, so that a failure can be repeated by its seed.
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn path(&mut self) -> String {
        let names = ["a", "b", "A", "a.b", "a-", "0", "target", "ünï"];
        let depth = 1 + self.below(3);
        (0..depth).map(|_| names[self.below(8) as usize]).collect::<Vec<_>>().join("/")
    }

    /// Does one thing to the tree; what cannot be done here is not done.
    fn change(&mut self, fixture: &Fixture) {
        let path = fixture.path(self.path());
        let file = path.symlink_metadata().is_ok_and(|it| it.is_file());
        match self.below(9) {
            0..=3 => {
                let _ = path.parent().map(fs::create_dir_all);
                let _ = fs::write(&path, vec![b'x'; self.below(40) as usize]);
            }
            4 => drop(fs::create_dir_all(&path)),
            5 => drop(if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            }),
            6 => drop(std::os::unix::fs::symlink(self.path(), &path)),
            7 if file => {
                let mode = [0o600, 0o644, 0o755, 0o444, 0o4711][self.below(5) as usize];
                drop(fs::set_permissions(&path, fs::Permissions::from_mode(mode)));
            }
            7 if !path.is_symlink() && path.is_dir() => {
                let mode = [0o700, 0o755, 0o775, 0o555][self.below(4) as usize];
                drop(fs::set_permissions(&path, fs::Permissions::from_mode(mode)));
            }
            _ => drop(fs::rename(&path, fixture.path(self.path()))),
        }
    }
}

#[test]
fn whatever_was_recorded_comes_back() {
    for seed in 1..=40 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let fixture = Fixture::new();
        let mut states = Vec::new();
        for turn in 0..6 {
            (0..12).for_each(|_| random.change(&fixture));
            // Now and then another process does it.
            let checkpoints = fixture.open();
            let taken = checkpoints.take(&note(turn, CheckpointReason::Asked)).unwrap();
            states.push((taken.checkpoint.id, fixture.state()));
        }
        let checkpoints = fixture.open();
        for _ in 0..8 {
            (0..random.below(6)).for_each(|_| random.change(&fixture));
            let lost = fixture.state();
            let (id, state) = &states[random.below(6) as usize];
            let restored = checkpoints.restore(id, &[], &note(9, CheckpointReason::Asked)).unwrap();
            assert_eq!(fixture.state(), *state, "seed {seed}");
            assert!(restored.left.is_empty(), "seed {seed}");
            // And what was there before is not lost either.
            if random.below(2) == 0 {
                checkpoints.restore(&restored.before.id, &[], &note(9, CheckpointReason::Asked)).unwrap();
                assert_eq!(fixture.state(), lost, "seed {seed}");
            }
        }
    }
}
