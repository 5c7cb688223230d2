//! Raw mode that is always given back.
//!
//! Promise: whatever ends the guard (return, error, panic, even a panic elsewhere), the terminal echoes again, shows its
//! cursor, and pasting, focus and keys are reported as before.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange, KeyboardEnhancementFlags,
    PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::{cursor, execute, terminal};

static RAW: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// The terminal is in raw mode while this lives.
#[derive(Debug)]
pub(crate) struct Raw {
    /// False for terminals that do not know escapes.
    escapes: bool,
}

impl Raw {
    pub(crate) fn enter(escapes: bool) -> std::io::Result<Raw> {
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                // The message must be readable; what survives the panic calls `keep`.
                leave(true);
                before(info);
            }));
        });
        let guard = Raw { escapes };
        guard.keep()?;
        Ok(guard)
    }

    /// Enters raw mode again where a panic elsewhere has left it.
    pub(crate) fn keep(&self) -> std::io::Result<()> {
        if RAW.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        terminal::enable_raw_mode()?;
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
        let _ = terminal::disable_raw_mode();
    }
}
