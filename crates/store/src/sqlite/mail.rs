//! Commands on SQLite.

use ox_protocol::{CommandId, ConversationId, Frame, Seq};
use rusqlite::{OptionalExtension, params};

use super::Store;
use crate::StoreError;
use crate::log::Owner;
use crate::mail::{Answer, Mail, StoredCommand};

impl Mail for Store {
    fn send(&self, command: &StoredCommand) -> Result<(), StoreError> {
        let StoredCommand { id, conversation, by, json } = command;
        let there = self.in_transaction(|transaction| {
            transaction.execute(
                "INSERT INTO commands (conversation, id, sender, json)
                 SELECT id, ?2, ?3, ?4 FROM conversations WHERE id = ?1 ON CONFLICT (conversation, id) DO NOTHING",
                [&conversation.0, &id.0, by, json],
            )?;
            let sql = "SELECT EXISTS (SELECT 1 FROM commands WHERE conversation = ?1 AND id = ?2)";
            transaction.query_row(sql, [&conversation.0, &id.0], |row| row.get::<_, bool>(0))
        })?;
        if there { Ok(()) } else { Err(StoreError::NotFound { id: conversation.0.clone() }) }
    }

    fn open_commands(&self, id: &ConversationId) -> Result<Vec<StoredCommand>, StoreError> {
        self.in_transaction(|transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT id, sender, json FROM commands WHERE conversation = ?1 AND answer IS NULL ORDER BY number",
            )?;
            let rows = statement.query_map([&id.0], |row| {
                let command = CommandId(row.get(0)?);
                Ok(StoredCommand { id: command, conversation: id.clone(), by: row.get(1)?, json: row.get(2)? })
            })?;
            rows.collect()
        })
    }

    fn answer(
        &self,
        id: &ConversationId,
        owner: Owner,
        expected_last: Seq,
        frames: &[Frame],
        answer: &Answer,
    ) -> Result<bool, StoreError> {
        if self.answer_to(id, &answer.command)?.is_some() {
            return Ok(false);
        }
        self.store(id, owner, expected_last, frames, Some(answer))
    }

    fn answer_to(&self, id: &ConversationId, command: &CommandId) -> Result<Option<String>, StoreError> {
        let found = self.in_transaction(|transaction| {
            let sql = "SELECT answer FROM commands WHERE conversation = ?1 AND id = ?2";
            transaction.query_row(sql, params![id.0, command.0], |row| row.get(0)).optional()
        })?;
        found.ok_or_else(|| StoreError::NoCommand { id: command.clone() })
    }
}
