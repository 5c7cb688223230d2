//! What an address is for. Whatever is not known to be public is not.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressKind {
    /// A host of the public internet.
    Public,
    /// Nothing, or any address of this machine.
    Unspecified,
    /// This machine.
    Loopback,
    /// A private network.
    Private,
    /// The network behind a provider's address translation, where some clouds keep their metadata.
    Shared,
    /// The same wire; clouds keep their metadata here.
    LinkLocal,
    /// A cloud's service for its own machines.
    Metadata,
    /// Many hosts.
    Multicast,
    /// Documentation, tests of networks, or not given out yet.
    Reserved,
    /// An IPv4 address dressed as IPv6, or a tunnel to one.
    Disguised,
}

/// IPv4 blocks that are not public: first address, length of the prefix, kind. From IANA's registry of special-purpose
/// addresses, with the one public address that a cloud keeps for itself.
const BLOCKS: [(Ipv4Addr, u32, AddressKind); 18] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, AddressKind::Unspecified),
    (Ipv4Addr::new(10, 0, 0, 0), 8, AddressKind::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, AddressKind::Shared),
    (Ipv4Addr::new(127, 0, 0, 0), 8, AddressKind::Loopback),
    (Ipv4Addr::new(168, 63, 129, 16), 32, AddressKind::Metadata),
    (Ipv4Addr::new(169, 254, 0, 0), 16, AddressKind::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, AddressKind::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, AddressKind::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, AddressKind::Reserved),
    (Ipv4Addr::new(192, 31, 196, 0), 24, AddressKind::Reserved),
    (Ipv4Addr::new(192, 52, 193, 0), 24, AddressKind::Reserved),
    (Ipv4Addr::new(192, 88, 99, 0), 24, AddressKind::Disguised),
    (Ipv4Addr::new(192, 168, 0, 0), 16, AddressKind::Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, AddressKind::Reserved),
    (Ipv4Addr::new(198, 51, 100, 0), 24, AddressKind::Reserved),
    (Ipv4Addr::new(203, 0, 113, 0), 24, AddressKind::Reserved),
    (Ipv4Addr::new(224, 0, 0, 0), 4, AddressKind::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, AddressKind::Reserved),
];

/// What `address` is for.
pub fn kind(address: IpAddr) -> AddressKind {
    match address {
        IpAddr::V4(it) => kind4(it),
        IpAddr::V6(it) => kind6(it),
    }
}

fn kind4(address: Ipv4Addr) -> AddressKind {
    let bits = u32::from(address);
    let inside = |(first, length, _): &&(Ipv4Addr, u32, AddressKind)| (bits ^ u32::from(*first)) >> (32 - length) == 0;
    BLOCKS.iter().find(inside).map_or(AddressKind::Public, |(_, _, kind)| *kind)
}

fn kind6(address: Ipv6Addr) -> AddressKind {
    let part = address.segments();
    match part {
        [0, 0, 0, 0, 0, 0, 0, 0] => AddressKind::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => AddressKind::Loopback,
        // Mapped, compatible and translated forms of IPv4, with whatever they hold: no resolver answers with them.
        [0, 0, 0, 0, ..] => AddressKind::Disguised,
        // Where a network has IPv6 alone, public IPv4 hosts are really reached through this prefix.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => through(high, low),
        [0x64, 0xff9b, ..] => AddressKind::Disguised,
        [0xfe80..=0xfebf, ..] => AddressKind::LinkLocal,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => AddressKind::Private,
        [0xff00..=0xffff, ..] => AddressKind::Multicast,
        // Teredo and 6to4 tunnels lead to an IPv4 address of the sender's choice.
        [0x2001, 0, ..] | [0x2002, ..] => AddressKind::Disguised,
        [0x2001, 1..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => AddressKind::Reserved,
        // The last half names an IPv4 host behind a tunnel (ISATAP).
        [0x2000..=0x3fff, _, _, _, 0 | 0x200, 0x5efe, ..] => AddressKind::Disguised,
        [0x2000..=0x3fff, ..] => AddressKind::Public,
        _ => AddressKind::Reserved,
    }
}

fn through(high: u16, low: u16) -> AddressKind {
    kind4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressKind::Public => "a public address",
            AddressKind::Unspecified => "which is this machine",
            AddressKind::Loopback => "which is this machine",
            AddressKind::Private => "a private network",
            AddressKind::Shared => "the network of a provider",
            AddressKind::LinkLocal => "a link-local address where clouds keep credentials",
            AddressKind::Metadata => "a cloud's service for its machines",
            AddressKind::Multicast => "a group of hosts",
            AddressKind::Reserved => "a reserved address",
            AddressKind::Disguised => "an IPv4 address dressed as IPv6",
        })
    }
}
