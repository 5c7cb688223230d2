//! Every notation of an address, and the edges of every block.

use super::*;

/// Every notation of addresses that are not public, and of names that are local.
const REFUSED: [&str; 78] = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "0x7F.0X0.0.0x1",
    "127.255.255.254",
    "0",
    "0.0.0.0",
    "0x",
    "00000000",
    "0.1.2.3",
    "10.1.2.3",
    "10.66051",
    "167838211",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.168.257",
    "0300.0250.0.1",
    "169.254.169.254",
    "169.254.43518",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.170.2",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.251",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "4294967295",
    "192.88.99.1",
    "::",
    "[::]",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
    "[::ffff:7f00:1]",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::8.8.8.8",
    "2002:7f00:1::",
    "2002:0808:0808::1",
    "2001:0:53aa:64c:0:fffe::",
    "2001:db8::1",
    "3fff::1",
    "fe80::1",
    "fe80::1%eth0",
    "[fe80::1%25eth0]",
    "fc00::1",
    "fd00:ec2::254",
    "fec0::1",
    "ff02::1",
    "4000::1",
    "5f00::1",
    "2606:4700::5efe:7f00:1",
    "localhost",
    "LocalHost.",
    "a.b.localhost",
    "metadata.google.internal",
    "printer.local",
];

const FORMLESS: [&str; 15] = [
    "",
    ".",
    "a..b",
    "exa mple.com",
    "example.com/x",
    "user@example.com",
    "example.com:80",
    "127。0。0。1",
    "①②⑦.1",
    "1.2.3.4.5",
    "256.1.1.1",
    "09.1.1.1",
    "a.0x7f",
    "%31%32%37.0.0.1",
    "example.com\0",
];

const PUBLIC: [&str; 12] = [
    "8.8.8.8",
    "1.1",
    "134744072",
    "0x08080808",
    "010.010.010.010",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "[2606:4700::1111]",
    "64:ff9b::8.8.8.8",
    "223.255.255.255",
    "9.255.255.255",
];

#[test]
fn no_notation_reaches_what_is_not_public() {
    for host in REFUSED {
        assert!(check_name(host).is_err(), "{host} must be refused");
        assert!(check(host, &["8.8.8.8".parse().unwrap()]).is_err(), "{host} whatever it resolves to");
    }
    for host in FORMLESS {
        let error = check_name(host).map(|()| "was allowed");
        assert!(error.is_err() && literal(host).is_none(), "{host}: {error:?}");
    }
    for host in PUBLIC {
        assert_eq!(check(host, &[]), Ok(()), "{host}");
    }
}

#[test]
fn one_bad_address_among_good_ones_refuses_the_name() {
    let good: IpAddr = "93.184.216.34".parse().unwrap();
    assert_eq!(check("example.com", &[good]), Ok(()));
    assert_eq!(check("docs.rs.", &[good, "2606:4700::1".parse().unwrap()]), Ok(()));
    for bad in ["10.0.0.1", "::ffff:10.0.0.1", "169.254.169.254", "fd00::1"] {
        let bad: IpAddr = bad.parse().unwrap();
        let refused = check("example.com", &[good, bad]).unwrap_err();
        assert_eq!(refused.why, RefusalReason::Address(bad, kind(bad)));
        assert!(refused.to_string().starts_with(&format!("`example.com` is at {bad}, ")), "{refused}");
    }
    assert_eq!(check("example.com", &[]).unwrap_err().why, RefusalReason::Nowhere);
}

#[test]
fn the_edges_of_every_block() {
    let table = [
        ("9.255.255.255", AddressKind::Public),
        ("10.0.0.0", AddressKind::Private),
        ("10.255.255.255", AddressKind::Private),
        ("11.0.0.0", AddressKind::Public),
        ("100.63.255.255", AddressKind::Public),
        ("100.64.0.0", AddressKind::Shared),
        ("100.127.255.255", AddressKind::Shared),
        ("100.128.0.0", AddressKind::Public),
        ("126.255.255.255", AddressKind::Public),
        ("128.0.0.0", AddressKind::Public),
        ("169.253.255.255", AddressKind::Public),
        ("169.255.0.0", AddressKind::Public),
        ("172.15.255.255", AddressKind::Public),
        ("172.32.0.0", AddressKind::Public),
        ("191.255.255.255", AddressKind::Public),
        ("192.167.255.255", AddressKind::Public),
        ("192.169.0.0", AddressKind::Public),
        ("198.17.255.255", AddressKind::Public),
        ("198.20.0.0", AddressKind::Public),
        ("223.255.255.255", AddressKind::Public),
        ("224.0.0.0", AddressKind::Multicast),
        ("1fff::", AddressKind::Reserved),
        ("2000::", AddressKind::Public),
        ("2001:200::", AddressKind::Public),
        ("2001:1ff::", AddressKind::Reserved),
        ("3fff:1000::", AddressKind::Public),
        ("4000::", AddressKind::Reserved),
        ("fe7f::", AddressKind::Reserved),
        ("fe80::", AddressKind::LinkLocal),
        ("fec0::", AddressKind::Private),
    ];
    for (address, expected) in table {
        assert_eq!(kind(address.parse().unwrap()), expected, "{address}");
    }
}

#[tokio::test]
async fn nothing_local_is_connected_to() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost", "0x7f.1", "[::1]", "::ffff:127.0.0.1", "0"] {
        let error = connect(host, port).await.unwrap_err();
        assert!(matches!(error, OutboundError::Refused(_)), "{host}: {error}");
    }
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    // The same port does answer those who are not guarded.
    drop(std::net::TcpStream::connect(("127.0.0.1", port)).unwrap());
}
