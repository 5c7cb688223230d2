//! Raw mode that is always given back.
//!
//! Promise: whatever ends the guard (return, error, panic, even a panic elsewhere), the terminal echoes again, shows its
//! cursor, and pasting, focus, keys and the mouse are reported as before. The alternate screen is left.

use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange, KeyboardEnhancementFlags,
    PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::{cursor, execute, terminal};

static RAW: AtomicBool = AtomicBool::new(false);
/// True while the alternate screen is shown.
static FULL: AtomicBool = AtomicBool::new(false);
/// How often it was taken.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static HOOK: Once = Once::new();

/// The alternate screen; buttons, movements with a button held, and the wheel of the mouse, in numbers of any size.
const TO_FULL: &[u8] = b"\x1b[?1049h\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const FROM_FULL: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?1049l";

/// The terminal is in raw mode while this lives.
#[derive(Debug)]
pub(crate) struct Raw {
    /// False for terminals that do not know escapes.
    escapes: bool,
    /// True for the alternate screen, with the mouse.
    full: bool,
}

/// How often the alternate screen was taken: each time it is empty.
pub(super) fn taken() -> usize {
    TAKEN.load(Ordering::SeqCst)
}

impl Raw {
    pub(crate) fn enter(escapes: bool, full: bool) -> std::io::Result<Raw> {
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                // The message must be readable; what survives the panic calls `keep`.
                leave(true);
                before(info);
            }));
        });
        let guard = Raw { escapes, full };
        guard.keep()?;
        Ok(guard)
    }

    /// Enters raw mode again where a panic elsewhere has left it.
    pub(crate) fn keep(&self) -> std::io::Result<()> {
        if RAW.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        terminal::enable_raw_mode()?;
        if self.full {
            // First: a terminal keeps the flags of keys for each screen.
            FULL.store(true, Ordering::SeqCst);
            TAKEN.fetch_add(1, Ordering::SeqCst);
            std::io::stdout().write_all(TO_FULL)?;
        }
        if self.escapes {
            // A terminal that cannot tell Shift-Enter from Enter ignores the flags.
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            execute!(std::io::stdout(), EnableBracketedPaste, EnableFocusChange, PushKeyboardEnhancementFlags(flags))?;
        }
        Ok(())
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        leave(self.escapes);
    }
}

fn leave(escapes: bool) {
    if RAW.swap(false, Ordering::SeqCst) {
        // Nothing can be done about a terminal that is gone.
        if escapes {
            let _ = execute!(
                std::io::stdout(),
                PopKeyboardEnhancementFlags,
                DisableFocusChange,
                DisableBracketedPaste,
                cursor::Show
            );
        }
        if FULL.swap(false, Ordering::SeqCst) {
            let _ = std::io::stdout().write_all(FROM_FULL);
            let _ = std::io::stdout().flush();
        }
        let _ = terminal::disable_raw_mode();
    }
}
