//! Answers the calls that the filter cannot judge: those that make or move names, and those that give sockets addresses.
//!
//! Such a call names its path in memory that another thread may change at any moment. So a call is never looked at and then
//! let through: its path is copied once, judged, and the call is made here instead, on the very folder that was judged.
//! This process is inside the same sandbox as the caller and holds no right that the caller lacks.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::caller::Caller;
use super::guard::PathGuard;
use super::notify::{self, Notification, Response};
use super::{names, opening, sockets, sys};

/// Bytes of stack of a thread here.
const STACK: usize = 256 << 10;

/// Answers notifications until the last caller is gone.
pub(super) struct Broker {
    listener: Arc<OwnedFd>,
    guard: PathGuard,
    sockets: sockets::Sockets,
}

impl Broker {
    /// Answers what comes from `listener`.
    pub(super) fn new(listener: OwnedFd, guard: PathGuard, sockets: sockets::Sockets) -> Broker {
        notify::set_synchronous_wakeup(listener.as_raw_fd());
        Broker { listener: Arc::new(listener), guard, sockets }
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

    /// Waits for a notification and answers it.
    fn serve(&mut self) {
        // Whoever asked may have been killed meanwhile.
        let Some(notification) = notify::receive(self.fd()) else { return };
        let reply = Caller::new(self.fd(), &notification).and_then(|caller| self.reply(&caller, &notification));
        respond(&self.listener, notification, reply);
    }

    fn reply(&mut self, caller: &Caller, notification: &Notification) -> io::Result<Response> {
        let call = i64::from(notification.data.nr);
        if call == libc::SYS_bind || call == libc::SYS_connect {
            return self.sockets.reply(caller, notification, &self.guard);
        }
        if let Some(request) = opening::OpenRequest::of(caller, notification)? {
            return opening::reply(caller, request, &self.guard);
        }
        names::reply(caller, notification, &self.guard).map(|()| Response::Value(0))
    }
}

fn respond(listener: &Arc<OwnedFd>, notification: Notification, reply: io::Result<Response>) {
    let fd = listener.as_raw_fd();
    match reply {
        Ok(Response::Value(value)) => notify::answer(fd, &notification, Ok(value)),
        Ok(Response::Descriptor(file, close_on_exec)) => {
            notify::respond_with_descriptor(fd, &notification, file, close_on_exec)
        }
        Ok(Response::Deferred(wait)) => {
            let listener = listener.clone();
            let work = move || respond(&listener, notification, wait());
            // Without room for a thread the caller is told so; it can try again.
            if thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
                notify::answer(fd, &notification, Err(libc::EAGAIN));
            }
        }
        Err(error) => notify::answer(fd, &notification, Err(error.raw_os_error().unwrap_or(libc::EIO))),
    }
}
