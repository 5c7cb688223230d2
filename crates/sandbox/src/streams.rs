//! The streams of a process: pipes, or a terminal of its own.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use ox_protocol::Terminal;
use rustix::fs::OFlags;
use tokio::io::unix::AsyncFd;

/// Both ends of a process's streams.
#[derive(Debug)]
pub(crate) struct Streams {
    /// Our end of its output.
    pub(crate) reader: AsyncFd<OwnedFd>,
    /// Our end of its input; none when it has none.
    pub(crate) writer: Option<AsyncFd<OwnedFd>>,
    /// Its standard input.
    pub(crate) input: OwnedFd,
    /// Its standard output and error.
    pub(crate) output: OwnedFd,
}

impl Streams {
    /// A terminal where one is wanted; otherwise pipes, the one for input only when `feeds`.
    pub(crate) fn open(terminal: Option<Terminal>, feeds: bool) -> io::Result<Streams> {
        match terminal {
            Some(size) => Streams::terminal(size),
            None => Streams::pipes(feeds),
        }
    }

    fn pipes(feeds: bool) -> io::Result<Streams> {
        let (reader, output) = io::pipe()?;
        let (input, writer) = match feeds {
            true => {
                let (input, writer) = io::pipe()?;
                (OwnedFd::from(input), Some(ours(writer.into())?))
            }
            false => (File::open("/dev/null")?.into(), None),
        };
        Ok(Streams { reader: ours(reader.into())?, writer, input, output: output.into() })
    }

    fn terminal(size: Terminal) -> io::Result<Streams> {
        let (master, slave) = pair(size)?;
        let writer = ours(master.try_clone()?)?;
        Ok(Streams { reader: ours(master)?, writer: Some(writer), input: slave.try_clone()?, output: slave })
    }
}

/// Ready to be waited for.
fn ours(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    let flags = rustix::fs::fcntl_getfl(&fd)?;
    rustix::fs::fcntl_setfl(&fd, flags | OFlags::NONBLOCK)?;
    watched(fd)
}

/// A descriptor that the runtime waits for.
pub(crate) fn watched<T: AsRawFd>(fd: T) -> io::Result<AsyncFd<T>> {
    // SAFETY: every caller hands in an owned descriptor, and nothing takes it out of the result: its number stays the same
    // and open for as long as the result lives.
    Ok(unsafe { AsyncFd::register(fd) }?)
}

/// A pseudo-terminal: our end and the process's.
fn pair(size: Terminal) -> io::Result<(OwnedFd, OwnedFd)> {
    let failed = || Err(io::Error::last_os_error());
    let mut name = [0; 128];
    // SAFETY: the descriptor is new and owned at once; the calls after it get it and a buffer with its size.
    let master = unsafe {
        let fd = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
        if fd == -1 {
            return failed();
        }
        let master = OwnedFd::from_raw_fd(fd);
        let named = || libc::ptsname_r(fd, name.as_mut_ptr(), name.len());
        if libc::grantpt(fd) == -1 || libc::unlockpt(fd) == -1 || { named }() != 0 {
            return failed();
        }
        master
    };
    // SAFETY: on success the buffer holds a string that ends in NUL, and it outlives the borrow.
    let path = unsafe { CStr::from_ptr(name.as_ptr()) };
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(path, flags, rustix::fs::Mode::empty())?;
    let window = libc::winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the pointer is to a valid record.
    if unsafe { libc::ioctl(slave.as_raw_fd(), libc::TIOCSWINSZ, &raw const window) } == -1 {
        return failed();
    }
    Ok((master, slave))
}
