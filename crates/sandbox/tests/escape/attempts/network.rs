//! Speaking to anybody: over the network, the machine's own sockets, and the kernel's.

use std::io::{self, Write};
use std::net::{TcpStream, ToSocketAddrs, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::time::Duration;

use crate::attempt::{Inside, Probe, Proof, at, call, look_outside, row};

/// Sockets.
pub const ROWS: &[Probe] = &[
    row("socket: TCP to this machine", Proof::Plain, |it| TcpStream::connect(("127.0.0.1", port(it, "TCP"))).map(drop)),
    row("socket: TCP to any address of this machine", Proof::Plain, |it| {
        TcpStream::connect(("0.0.0.0", port(it, "TCP"))).map(drop)
    }),
    row("socket: TCP without connect", Proof::Plain, |it| {
        let socket = call(libc::SYS_socket, &[libc::AF_INET as usize, libc::SOCK_STREAM as usize, 0])?;
        let to = address(port(it, "TCP"));
        let fast_open = libc::MSG_FASTOPEN as usize;
        call(libc::SYS_sendto, &[socket, at(b"x"), 1, fast_open, at(&to), 16]).map(drop)
    }),
    row("socket: TCP to the internet", Proof::Maybe, |_| {
        let near = |it: &str| TcpStream::connect_timeout(&it.parse().unwrap(), Duration::from_millis(500));
        near("1.1.1.1:443").or_else(|_| near("8.8.8.8:53")).map(drop)
    }),
    row("socket: UDP", Proof::Plain, |it| {
        UdpSocket::bind("0.0.0.0:0")?.send_to(b"x", ("127.0.0.1", port(it, "UDP")))?;
        look_outside()
    }),
    row("socket: UDP, connected", Proof::Plain, |it| {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.connect(("127.0.0.1", port(it, "UDP")))?;
        socket.send(b"x")?;
        look_outside()
    }),
    row("socket: a datagram to a path, by a raw socket", Proof::Plain, |it| raw(it, false)),
    row("socket: a datagram to a path, by a raw pair", Proof::Plain, |it| raw(it, true)),
    row("socket: a question to a name server", Proof::Maybe, |it| {
        let found = (format!("{}.example.com", it.id), 53).to_socket_addrs();
        let found = found.or_else(|_| ("example.com", 53).to_socket_addrs())?;
        if found.count() == 0 { Err(io::Error::other("no address")) } else { Ok(()) }
    }),
    row("socket: with a path", Proof::Plain, |it| UnixStream::connect(it.outside.join("socket")).map(drop)),
    row("socket: with a path, through a symlink", Proof::Plain, |_| UnixStream::connect("folder-out/socket").map(drop)),
    row("socket: with a path, through /proc", Proof::Plain, |it| {
        UnixStream::connect(format!("/proc/self/root{}", it.outside.join("socket").display())).map(drop)
    }),
    row("socket: with a path, linked into the project", Proof::Plain, |it| {
        std::fs::hard_link(it.outside.join("socket"), "own-socket")?;
        UnixStream::connect("own-socket").map(drop)
    }),
    row("socket: with a path, renamed into the project", Proof::Plain, |it| {
        std::fs::rename(it.outside.join("socket"), "own-socket")?;
        UnixStream::connect("own-socket").map(drop)
    }),
    row("socket: abstract", Proof::Plain, |it| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(&it.id)?).map(drop)
    }),
    row("socket: those that daemons listen on", Proof::Maybe, |_| {
        let known =
            ["/run/docker.sock", "/run/podman/podman.sock", "/run/systemd/private", "/run/dbus/system_bus_socket"];
        let agents = ["SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY"];
        let agents = agents.iter().filter_map(|it| std::env::var(it).ok());
        let all = known.iter().map(|it| (*it).to_owned()).chain(agents);
        let reached = |it: &String| UnixStream::connect(it).is_ok();
        all.into_iter().find(reached).map(drop).ok_or_else(|| io::Error::other("none of them answers"))
    }),
    row("socket: the log of the system", Proof::Maybe, |_| {
        let socket = UnixDatagram::unbound()?;
        socket.send_to(b"<15>x", "/dev/log").map(drop)
    }),
    row("socket: raw", Proof::Root, |_| socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP)),
    row("socket: packets", Proof::Root, |_| socket(libc::AF_PACKET, libc::SOCK_RAW, 0)),
    row("socket: the machine's host (vsock)", Proof::Maybe, |_| socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0)),
    row("socket: Bluetooth", Proof::Maybe, |_| socket(31, libc::SOCK_RAW, 1)),
    row("socket: ciphers of the kernel", Proof::Maybe, |_| socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)),
    row("socket: netlink sets an interface up", Proof::Plain, netlink),
    row("socket: netlink hears the kernel's events", Proof::Maybe, |_| {
        const UEVENTS: i32 = 15;
        let socket = call(libc::SYS_socket, &[libc::AF_NETLINK as usize, libc::SOCK_RAW as usize, UEVENTS as usize])?;
        let own = [libc::AF_NETLINK as u16, 0, 0, 0, 1, 0];
        call(libc::SYS_bind, &[socket, at(&own), 12]).map(drop)
    }),
    row("terminal: the user's", Proof::None("without a terminal there is none to type into"), |_| {
        let mut terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        terminal.write_all(b"x")
    }),
    row("terminal: typing into one (TIOCSTI)", Proof::Maybe, type_into),
];

/// In this family a raw socket is one for datagrams.
fn raw(it: &Inside, pair: bool) -> io::Result<()> {
    let (family, kind) = (libc::AF_UNIX as usize, libc::SOCK_RAW as usize);
    let mut both = [0i32; 2];
    let socket = match pair {
        true => call(libc::SYS_socketpair, &[family, kind, 0, at(&both)]).map(|_| both[0] as usize)?,
        false => call(libc::SYS_socket, &[family, kind, 0])?,
    };
    both.fill(0);
    let mut to = [0u8; 110];
    to[0] = libc::AF_UNIX as u8;
    let path = it.outside.join("datagrams");
    let path = path.as_os_str().as_encoded_bytes();
    to[2..2 + path.len()].copy_from_slice(path);
    call(libc::SYS_sendto, &[socket, at(b"x"), 1, 0, at(&to), 3 + path.len()])?;
    look_outside()
}

fn port(it: &Inside, name: &str) -> u16 {
    it.number(name) as u16
}

/// A `sockaddr_in` of this machine.
fn address(port: u16) -> [u8; 16] {
    let mut address = [0; 16];
    address[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
    address[2..4].copy_from_slice(&port.to_be_bytes());
    address[4..8].copy_from_slice(&[127, 0, 0, 1]);
    address
}

fn socket(family: i32, kind: i32, protocol: i32) -> io::Result<()> {
    call(libc::SYS_socket, &[family as usize, kind as usize, protocol as usize]).map(drop)
}

/// Asks the kernel to take an interface down and up: the loopback one of the namespace that the attempt runs in.
fn netlink(it: &Inside) -> io::Result<()> {
    if it.control {
        let user = if rustix::process::geteuid().is_root() { 0 } else { libc::CLONE_NEWUSER };
        call(libc::SYS_unshare, &[(libc::CLONE_NEWNET | user) as usize])?;
    }
    let socket = call(libc::SYS_socket, &[libc::AF_NETLINK as usize, libc::SOCK_RAW as usize, 0])?;
    // nlmsghdr: length, type RTM_NEWLINK, flags request and acknowledge, number, port; then ifinfomsg of interface 1, whose
    // flag `up` is to be taken away and is then put back by nobody: it is this namespace's own.
    let mut message = [0u8; 32];
    message[..4].copy_from_slice(&32u32.to_ne_bytes());
    message[4..6].copy_from_slice(&16u16.to_ne_bytes());
    message[6..8].copy_from_slice(&5u16.to_ne_bytes());
    message[20..24].copy_from_slice(&1i32.to_ne_bytes());
    message[24..28].copy_from_slice(&1u32.to_ne_bytes());
    message[28..32].copy_from_slice(&1u32.to_ne_bytes());
    let to = [libc::AF_NETLINK as u16, 0, 0, 0, 0, 0];
    call(libc::SYS_sendto, &[socket, at(&message), 32, 0, at(&to), 12])?;
    let mut answer = [0u8; 256];
    call(libc::SYS_recvfrom, &[socket, answer.as_mut_ptr() as usize, 256, 0, 0, 0])?;
    match i32::from_ne_bytes([answer[16], answer[17], answer[18], answer[19]]) {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}

/// Types into a terminal of its own, which is harmless; where that is possible, so it is in one that is shared.
fn type_into(_: &Inside) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let master = std::fs::OpenOptions::new().read(true).write(true).open("/dev/ptmx")?;
    let (mut name, lock) = (0u32, 0u32);
    call(libc::SYS_ioctl, &[master.as_raw_fd() as usize, libc::TIOCSPTLCK as usize, at(&lock)])?;
    let name_address = std::ptr::from_mut(&mut name) as usize;
    call(libc::SYS_ioctl, &[master.as_raw_fd() as usize, libc::TIOCGPTN as usize, name_address])?;
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open(format!("/dev/pts/{name}"))?;
    let number = terminal.as_raw_fd() as usize;
    // The plain runner has made this process the leader of a session already; elsewhere it is made one here.
    let _ = rustix::process::setsid();
    let _ = call(libc::SYS_ioctl, &[number, libc::TIOCSCTTY as usize, 0]);
    let typed = call(libc::SYS_ioctl, &[number, libc::TIOCSTI as usize, at(b"x")]).map(drop);
    // A terminal that hangs up ends its session, and with it this process before it could tell.
    std::mem::forget(master);
    typed
}
