//! What an address is for. Whatever is not known to be public is not.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
const BLOCKS: [(Ipv4Addr, u32, Kind); 18] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, Kind::Unspecified),
    (Ipv4Addr::new(10, 0, 0, 0), 8, Kind::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, Kind::Shared),
    (Ipv4Addr::new(127, 0, 0, 0), 8, Kind::Loopback),
    (Ipv4Addr::new(168, 63, 129, 16), 32, Kind::Metadata),
    (Ipv4Addr::new(169, 254, 0, 0), 16, Kind::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, Kind::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, Kind::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, Kind::Reserved),
    (Ipv4Addr::new(192, 31, 196, 0), 24, Kind::Reserved),
    (Ipv4Addr::new(192, 52, 193, 0), 24, Kind::Reserved),
    (Ipv4Addr::new(192, 88, 99, 0), 24, Kind::Disguised),
    (Ipv4Addr::new(192, 168, 0, 0), 16, Kind::Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, Kind::Reserved),
    (Ipv4Addr::new(198, 51, 100, 0), 24, Kind::Reserved),
    (Ipv4Addr::new(203, 0, 113, 0), 24, Kind::Reserved),
    (Ipv4Addr::new(224, 0, 0, 0), 4, Kind::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, Kind::Reserved),
];

/// What `address` is for.
pub fn kind(address: IpAddr) -> Kind {
    match address {
        IpAddr::V4(it) => kind4(it),
        IpAddr::V6(it) => kind6(it),
    }
}

fn kind4(address: Ipv4Addr) -> Kind {
    let bits = u32::from(address);
    let inside = |(first, length, _): &&(Ipv4Addr, u32, Kind)| (bits ^ u32::from(*first)) >> (32 - length) == 0;
    BLOCKS.iter().find(inside).map_or(Kind::Public, |(_, _, kind)| *kind)
}

fn kind6(address: Ipv6Addr) -> Kind {
    let part = address.segments();
    match part {
        [0, 0, 0, 0, 0, 0, 0, 0] => Kind::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => Kind::Loopback,
        // Mapped, compatible and translated forms of IPv4, with whatever they hold: no resolver answers with them.
        [0, 0, 0, 0, ..] => Kind::Disguised,
        // Where a network has IPv6 alone, public IPv4 hosts are really reached through this prefix.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => through(high, low),
        [0x64, 0xff9b, ..] => Kind::Disguised,
        [0xfe80..=0xfebf, ..] => Kind::LinkLocal,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Kind::Private,
        [0xff00..=0xffff, ..] => Kind::Multicast,
        // Teredo and 6to4 tunnels lead to an IPv4 address of the sender's choice.
        [0x2001, 0, ..] | [0x2002, ..] => Kind::Disguised,
        [0x2001, 1..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Kind::Reserved,
        // The last half names an IPv4 host behind a tunnel (ISATAP).
        [0x2000..=0x3fff, _, _, _, 0 | 0x200, 0x5efe, ..] => Kind::Disguised,
        [0x2000..=0x3fff, ..] => Kind::Public,
        _ => Kind::Reserved,
    }
}

fn through(high: u16, low: u16) -> Kind {
    kind4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Public => "a public address",
            Kind::Unspecified => "which is this machine",
            Kind::Loopback => "which is this machine",
            Kind::Private => "a private network",
            Kind::Shared => "the network of a provider",
            Kind::LinkLocal => "a link-local address where clouds keep credentials",
            Kind::Metadata => "a cloud's service for its machines",
            Kind::Multicast => "a group of hosts",
            Kind::Reserved => "a reserved address",
            Kind::Disguised => "an IPv4 address dressed as IPv6",
        })
    }
}
