//! Answers the calls that the filter cannot judge: those that make or move names, and those that give sockets addresses.
//!
//! Such a call names its path in memory that another thread may change at any moment. So a call is never looked at and then
//! let through: its path is copied once, judged, and the call is made here instead, on the very folder that was judged.
//! This process is inside the same walls as the asker and holds no right that the asker lacks.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::asker::Asker;
use super::guard::Guard;
use super::notify::{self, Question};
use super::{naming, opening, peers, sys};

/// Bytes of stack of a thread here.
const STACK: usize = 256 << 10;

/// What an answer is.
pub(super) enum Reply {
    /// A number.
    Value(i64),
    /// A descriptor, and whether it is closed on exec.
    Descriptor(OwnedFd, bool),
    /// What must not be waited for here, because others ask meanwhile.
    Later(Box<dyn FnOnce() -> io::Result<Reply> + Send>),
}

/// Answers questions until the last asker is gone.
pub(super) struct Broker {
    listener: Arc<OwnedFd>,
    guard: Guard,
    peers: peers::Peers,
}

impl Broker {
    /// Answers what comes from `listener`.
    pub(super) fn new(listener: OwnedFd, guard: Guard, peers: peers::Peers) -> Broker {
        notify::wake_at_once(listener.as_raw_fd());
        Broker { listener: Arc::new(listener), guard, peers }
    }

    /// Answers from a thread of its own: whatever else is done meanwhile, nobody waits for it.
    pub(super) fn start(self) -> io::Result<()> {
        thread::Builder::new().stack_size(STACK).spawn(move || self.run()).map(drop)
    }

    /// Answers until nobody can ask any more.
    fn run(mut self) {
        sys::be_prompt();
        while !self.is_over() {
            self.serve();
        }
    }

    /// True when nobody can ask any more.
    fn is_over(&self) -> bool {
        let mut listener = [PollFd::new(&self.listener, PollFlags::empty())];
        poll(&mut listener, Some(&Timespec::default())).is_ok() && !listener[0].revents().is_empty()
    }

    fn fd(&self) -> RawFd {
        self.listener.as_raw_fd()
    }

    /// Waits for a question and answers it.
    fn serve(&mut self) {
        // Whoever asked may have been killed meanwhile.
        let Some(question) = notify::receive(self.fd()) else { return };
        let reply = Asker::new(self.fd(), &question).and_then(|asker| self.reply(&asker, &question));
        give(&self.listener, question, reply);
    }

    fn reply(&mut self, asker: &Asker, question: &Question) -> io::Result<Reply> {
        let call = i64::from(question.data.nr);
        if call == libc::SYS_bind || call == libc::SYS_connect {
            return self.peers.reply(asker, question, &self.guard);
        }
        if let Some(wish) = opening::Wish::of(asker, question)? {
            return opening::reply(asker, wish, &self.guard);
        }
        naming::reply(asker, question, &self.guard).map(|()| Reply::Value(0))
    }
}

fn give(listener: &Arc<OwnedFd>, question: Question, reply: io::Result<Reply>) {
    let fd = listener.as_raw_fd();
    match reply {
        Ok(Reply::Value(value)) => notify::answer(fd, &question, Ok(value)),
        Ok(Reply::Descriptor(file, close_on_exec)) => notify::hand(fd, &question, &file, close_on_exec),
        Ok(Reply::Later(wait)) => {
            let listener = listener.clone();
            let work = move || give(&listener, question, wait());
            // Without room for a thread the asker is told so; it can try again.
            if thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
                notify::answer(fd, &question, Err(libc::EAGAIN));
            }
        }
        Err(error) => notify::answer(fd, &question, Err(error.raw_os_error().unwrap_or(libc::EIO))),
    }
}
