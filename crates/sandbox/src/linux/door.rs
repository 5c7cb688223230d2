//! The one way out of a network name space: a listener that lives inside, and a proxy outside that accepts at it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use tokio::io::unix::AsyncFd;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::sys;
use crate::proxy::Proxy;
use crate::streams::watched;

/// Where the proxy is found inside. It lies outside of the numbers that the kernel gives away by itself.
pub(crate) const PORT: u16 = 61_999;

/// A proxy at work; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Door(JoinHandle<()>);

impl Door {
    /// Answers with the door and the end that the helper needs.
    pub(crate) fn open(proxy: Proxy) -> io::Result<(Door, OwnedFd)> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let ours = watched(ours)?;
        let task = tokio::spawn(async move {
            // Without a listener the command has no network, which is what it is told by its own attempts.
            if let Ok(listener) = listener(&ours).await {
                proxy.serve_tcp(listener).await;
            }
        });
        Ok((Door(task), theirs.into()))
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn listener(socket: &AsyncFd<UnixStream>) -> io::Result<TcpListener> {
    loop {
        let mut ready = socket.readable().await?;
        let come = ready.try_io(|socket| sys::receive_with(socket.get_ref().as_fd(), &mut [0]));
        let Ok(come) = come else { continue };
        let fd = come?.1.into_iter().next().ok_or(io::ErrorKind::UnexpectedEof)?;
        let listener = std::net::TcpListener::from(fd);
        listener.set_nonblocking(true)?;
        return TcpListener::from_std(listener);
    }
}
