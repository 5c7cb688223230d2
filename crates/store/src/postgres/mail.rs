//! Commands on PostgreSQL.

use ox_protocol::{CommandId, ConversationId, Frame, Seq};

use super::{PostgresStore, values};
use crate::StoreError;
use crate::log::Owner;
use crate::mail::{Answer, Mail, StoredCommand};

impl Mail for PostgresStore {
    fn send(&self, command: &StoredCommand) -> Result<(), StoreError> {
        let StoredCommand { id, conversation, by, json } = command;
        let sql = "WITH sent AS (
                INSERT INTO commands (conversation, id, sender, json)
                SELECT id, $2, $3, $4 FROM conversations WHERE id = $1
                ON CONFLICT (conversation, id) DO NOTHING)
            SELECT id FROM conversations WHERE id = $1";
        let text = |value: &str| value.replace('\0', "");
        let values = values![conversation.0.clone(), text(&id.0), text(by), text(json)];
        // Sent twice it is the same one.
        let there = self.rows(sql, values)?;
        if there.is_empty() { Err(StoreError::NotFound { id: conversation.0.clone() }) } else { Ok(()) }
    }

    fn open_commands(&self, id: &ConversationId) -> Result<Vec<StoredCommand>, StoreError> {
        let sql = "SELECT id, sender, json FROM commands WHERE conversation = $1 AND answer IS NULL ORDER BY number";
        let command = |row: &tokio_postgres::Row| StoredCommand {
            id: CommandId(row.get(0)),
            conversation: id.clone(),
            by: row.get(1),
            json: row.get(2),
        };
        Ok(self.rows(sql, values![id.0.clone()])?.iter().map(command).collect())
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
        let sql = "SELECT answer FROM commands WHERE conversation = $1 AND id = $2";
        let rows = self.rows(sql, values![id.0.clone(), command.0.clone()])?;
        rows.first().map(|row| row.get(0)).ok_or_else(|| StoreError::NoCommand { id: command.clone() })
    }
}
