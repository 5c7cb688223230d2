//! What a command printed, for a model: the first and the last bytes, and a file with all of it where that was cut.
//!
//! Memory is bounded whatever comes. The file is only begun when something has to be left out, never grows past its
//! limit, and holds plain text: no terminal escapes.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use ox_protocol::Output;

/// Bytes of a file of kept output at most.
const FILE: usize = 16 << 20;
/// Bytes of a line that are waited for before it is written in pieces.
const LINE: usize = 64 << 10;

/// Output that nobody has been shown yet.
pub struct Kept {
    limit: usize,
    output: Output,
    file: Whole,
}

impl Kept {
    /// Keeps `limit` bytes, and beyond them everything in the file `path`, without the terminal escapes, which `plain` takes out
    /// of whole lines.
    pub fn new(limit: usize, path: PathBuf, plain: fn(&str) -> String) -> Kept {
        let file = Whole { path, plain, early: Vec::new(), file: None, line: Vec::new(), written: 0, failed: false };
        Kept { limit, output: Output::default(), file }
    }

    /// Adds what came.
    pub fn push(&mut self, bytes: &[u8]) {
        self.file.push(bytes, self.limit);
        let half = self.limit / 2;
        let room = half.saturating_sub(self.output.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.output.head.extend_from_slice(first);
        self.output.tail.extend_from_slice(rest);
        // Cutting only at twice the size makes the copying a constant cost per byte.
        if self.output.tail.len() > 2 * half {
            self.cut();
        }
    }

    /// Notes that this many bytes were lost before they came here.
    pub fn lose(&mut self, bytes: u64) {
        if bytes > 0 {
            // What is lost lies between what is kept first and last, like all that is left out.
            self.output.dropped += bytes + self.output.tail.len() as u64;
            self.output.tail.clear();
            self.file.push(format!("\n[… {bytes} bytes came too fast to be kept …]\n").as_bytes(), self.limit);
        }
    }

    /// What came since the last call, and the file that holds everything where some of it is left out.
    pub fn take(&mut self) -> (Output, Option<PathBuf>) {
        self.cut();
        let mut output = std::mem::take(&mut self.output);
        if output.dropped == 0 {
            output.head.append(&mut output.tail);
            return (output, None);
        }
        whole_characters(&mut output);
        (output, self.file.finish().map(Path::to_path_buf))
    }

    fn cut(&mut self) {
        let excess = self.output.tail.len().saturating_sub(self.limit / 2);
        self.output.tail.drain(..excess);
        self.output.dropped += excess as u64;
    }
}

/// Head and tail shall not end or begin within a character.
fn whole_characters(output: &mut Output) {
    let end = output.head.len();
    let cut = match std::str::from_utf8(&output.head) {
        Err(error) if error.error_len().is_none() => end - error.valid_up_to(),
        _ => 0,
    };
    output.head.truncate(end - cut);
    let start = output.tail.iter().take(3).take_while(|it| **it & 0xC0 == 0x80).count();
    output.tail.drain(..start);
    output.dropped += (cut + start) as u64;
}

/// Everything that came, in a file as soon as it is more than is kept anyway.
struct Whole {
    path: PathBuf,
    plain: fn(&str) -> String,
    /// All of it while there is no file.
    early: Vec<u8>,
    file: Option<File>,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    written: usize,
    failed: bool,
}

impl Whole {
    fn push(&mut self, bytes: &[u8], limit: usize) {
        if self.failed {
            return;
        }
        if self.file.is_none() {
            self.early.extend_from_slice(bytes);
            if self.early.len() <= limit {
                return;
            }
            match create_private(&self.path) {
                Ok(file) => self.file = Some(file),
                Err(_) => return self.give_up(),
            }
            let early = std::mem::take(&mut self.early);
            return self.lines(&early);
        }
        self.lines(bytes);
    }

    /// Writes whole lines, because an escape that is cut in two cannot be told from text.
    fn lines(&mut self, bytes: &[u8]) {
        self.line.extend_from_slice(bytes);
        let end = match self.line.iter().rposition(|it| *it == b'\n') {
            Some(last) => last + 1,
            None if self.line.len() > LINE => self.line.len(),
            None => return,
        };
        let ready: Vec<u8> = self.line.drain(..end).collect();
        self.write(&(self.plain)(&String::from_utf8_lossy(&ready)));
    }

    fn write(&mut self, text: &str) {
        let Some(file) = self.file.as_mut().filter(|_| self.written < FILE) else { return };
        let room = text.floor_char_boundary(text.len().min(FILE - self.written));
        self.written += text.len();
        let ended = match self.written < FILE {
            true => Ok(()),
            false => writeln!(file, "{}\n[the file ends here, at its limit]", &text[..room]),
        };
        let written = if self.written < FILE { file.write_all(text.as_bytes()) } else { ended };
        if written.is_err() {
            self.give_up();
        }
    }

    /// The file, with all of it that came; none where there is none.
    fn finish(&mut self) -> Option<&Path> {
        let rest = std::mem::take(&mut self.line);
        if !rest.is_empty() {
            self.write(&(self.plain)(&String::from_utf8_lossy(&rest)));
        }
        self.file.is_some().then_some(self.path.as_path())
    }

    /// A full disk costs the file and nothing else.
    fn give_up(&mut self) {
        (self.failed, self.file) = (true, None);
        (self.early, self.line) = Default::default();
    }
}

/// A new file that only this user reads, in a folder of which the same holds.
pub fn create_private(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the two escapes of the test.
    fn plain(text: &str) -> String {
        text.replace("\u{1b}[31m", "").replace("\u{1b}[0m", "")
    }

    #[test]
    fn little_is_kept_whole_and_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/1.txt");
        let mut kept = Kept::new(16, path.clone(), plain);
        kept.push(b"0123456");
        kept.push(b"789abcdef");
        assert_eq!(kept.take(), (Output { head: b"0123456789abcdef".to_vec(), ..Output::default() }, None));
        assert_eq!(kept.take(), (Output::default(), None));
        assert!(!path.exists());
    }

    #[test]
    fn much_is_cut_in_the_middle_and_whole_in_a_file_without_escapes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/1.txt");
        let mut kept = Kept::new(16, path.clone(), plain);
        let all: String = (0..100).map(|it| format!("\u{1b}[31m{it} é\u{1b}[0m\n")).collect();
        all.as_bytes().chunks(7).for_each(|it| kept.push(it));
        kept.push(b"end");
        let (output, file) = kept.take();
        assert_eq!(output.head.len() + output.tail.len() + output.dropped as usize, all.len() + 3);
        assert!(output.head.len() + output.tail.len() <= 16 && output.tail.ends_with(b"end"));
        assert_eq!(file.as_deref(), Some(path.as_path()));
        let plain: String = (0..100).map(|it| format!("{it} é\n")).collect();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), plain + "end");
    }

    #[test]
    fn what_was_shown_before_is_in_the_file_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.txt");
        let mut kept = Kept::new(8, path.clone(), plain);
        kept.push(b"first\n");
        assert_eq!(kept.take().0.head, b"first\n");
        kept.push(b"second and long\n");
        assert!(kept.take().1.is_some());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first\nsecond and long\n");
    }

    #[test]
    fn the_file_has_a_limit_and_a_flood_stays_small_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.txt");
        let mut kept = Kept::new(1 << 10, path.clone(), plain);
        let line = [b"y".repeat(1023), b"\n".to_vec()].concat();
        for _ in 0..(FILE / 1024 + 100) {
            kept.push(&line);
            assert!(kept.output.tail.capacity() + kept.file.line.capacity() < 16 << 10);
        }
        kept.take();
        let size = std::fs::metadata(&path).unwrap().len();
        assert!(size <= FILE as u64 + 100, "{size}");
        assert!(std::fs::read_to_string(&path).unwrap().ends_with("[the file ends here, at its limit]\n"));
    }

    #[test]
    fn no_file_where_none_can_be_made() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("taken"), "mine").unwrap();
        for path in ["taken", "taken/1.txt"] {
            let mut kept = Kept::new(4, folder.path().join(path), plain);
            kept.push(b"123456789");
            let (output, file) = kept.take();
            assert_eq!((output.dropped, file), (5, None));
        }
        assert_eq!(std::fs::read_to_string(folder.path().join("taken")).unwrap(), "mine");
    }
}
