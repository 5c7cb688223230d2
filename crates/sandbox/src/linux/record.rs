//! What the helper says to Ox: one byte that names it, a length, and a text.

/// A message of the helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// The command was not started, for this reason.
    Failed(String),
    /// The program of the command does not exist.
    NotFound,
    /// The command's first process ended with this wait status.
    Ended(i32),
    /// Everything was ended because it took more of this than it may.
    Over(Limit),
    /// Nothing of the command is left.
    Gone,
}

/// A limit that ends a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Limit {
    /// Memory of all processes together.
    Memory = b'M',
    /// Processes and threads at once.
    Processes = b'P',
    /// Room on a disk.
    Disk = b'D',
    /// No limit: a file that is hidden was replaced outside, and could be read now.
    Cover = b'C',
}

impl Record {
    /// As bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (tag, body) = match self {
            Record::Failed(reason) => (b'F', reason.as_bytes().to_vec()),
            Record::NotFound => (b'N', Vec::new()),
            Record::Ended(status) => (b'E', status.to_le_bytes().to_vec()),
            Record::Over(limit) => (*limit as u8, Vec::new()),
            Record::Gone => (b'G', Vec::new()),
        };
        let mut out = vec![tag];
        out.extend((body.len() as u32).to_le_bytes());
        out.extend(body);
        out
    }

    /// The first message in `bytes`, which is taken out; none while it is not complete.
    pub(crate) fn take(bytes: &mut Vec<u8>) -> Option<Record> {
        let (head, rest) = bytes.split_first_chunk::<5>()?;
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let body = rest.get(..length)?;
        let record = match head[0] {
            b'N' => Record::NotFound,
            b'E' => Record::Ended(i32::from_le_bytes(body.try_into().unwrap_or_default())),
            b'M' => Record::Over(Limit::Memory),
            b'P' => Record::Over(Limit::Processes),
            b'D' => Record::Over(Limit::Disk),
            b'C' => Record::Over(Limit::Cover),
            b'G' => Record::Gone,
            _ => Record::Failed(String::from_utf8_lossy(body).into_owned()),
        };
        bytes.drain(..5 + length);
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_as_they_went_in() {
        let all = [
            Record::Failed("no room".into()),
            Record::NotFound,
            Record::Ended(-256),
            Record::Over(Limit::Memory),
            Record::Over(Limit::Processes),
            Record::Over(Limit::Disk),
            Record::Over(Limit::Cover),
            Record::Gone,
        ];
        let bytes: Vec<u8> = all.iter().flat_map(Record::encode).collect();
        let (mut come, mut found) = (Vec::new(), Vec::new());
        for byte in bytes {
            come.push(byte);
            found.extend(Record::take(&mut come));
        }
        assert_eq!((found.as_slice(), come.len()), (&all[..], 0));
    }
}
