//! The engine behind transactions and restores of checkpoints: a plan of operations that is carried out as one.
//!
//! The plan is in a [`journal`] on the disk before anything is changed. Each operation puts what is new under a temporary
//! name, sets the old aside under another, and puts the new in its place ([`forward`]). Whatever fails is taken back
//! ([`back`]). What comes after a crash depends on the stage that the journal names: a transaction is taken back until it is
//! complete, a restore is completed from the moment that all that is new is on the disk. Each act can be cut short itself,
//! and repeated: it judges by what is on the disk, never by how far the plan is thought to have come.

pub(crate) mod acts;
pub(crate) mod back;
pub(crate) mod finish;
pub(crate) mod forward;
pub(crate) mod journal;
pub(crate) mod operation;
pub(crate) mod recovery;
