//! What a command finds in the sandbox, and that ordinary work goes on there.

use crate::place::{Place, read, text};

#[tokio::test]
async fn ordinary_commands_work() {
    let place = Place::new();
    assert!(ox_protocol::Runner::isolated(&place.sandbox), "{:?}", place.sandbox.describe());
    let table = [
        ("echo out; echo err >&2", "out\nerr\n"),
        ("echo hi > a; cat a; mkdir -p d/e; mv a d/e/; cat d/e/a", "hi\nhi\n"),
        ("echo x > /dev/null; echo y > /dev/stdout; echo z > /tmp/z; cat /tmp/z", "y\nz\n"),
        ("head -c 3 /dev/zero | wc -c; cat <(echo sub)", "3\nsub\n"),
        ("printf a | tee /dev/fd/2", "aa"),
        ("touch /tmp/only-here; ls /tmp | grep -c only-here; ls /run | wc -l", "1\n0\n"),
        ("sleep 100 & kill $!; wait $!; echo $?", "143\n"),
        ("echo $PPID", "1\n"),
    ];
    for (command, expected) in table {
        let exit = place.run(command).await;
        assert_eq!((exit.code, text(&exit).as_str()), (Some(0), expected), "{command}");
    }
    assert_eq!(read(&place.root.join("d/e/a")), "hi\n");
}
