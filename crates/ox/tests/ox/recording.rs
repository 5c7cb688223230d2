//! `ox sessions export --format html`: one file that plays, in which everything that was said or printed is text.

use crate::place::Place;

#[test]
fn what_a_tool_printed_is_text_in_the_file_and_nothing_is_loaded_from_elsewhere() {
    let place = Place::new();
    place.write("bad.txt", "</script><img src=x onerror=\"alert(1)\">\n<!-- ]]> &amp; 'quoted'\n");
    let says = "It says <b>nothing</b>; see [this](javascript:alert(1)) and [that](https://example.org/?a=1&b=\"2\").";
    let ran = place.play(
        &format!("-- model --\n@read_file\npath: bad.txt\n-- model --\n{says}\n"),
        &["--mode", "chat", "--name", "<i>odd</i>", "Read </style><script>alert(2)</script>"],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let page = place.ox(&["sessions", "export", "<i>odd</i>", "--format", "html"]).out;
    assert!(page.starts_with("<!doctype html>") && page.contains("Content-Security-Policy"), "{page}");
    assert_eq!(page.matches("<script").count(), 1, "{page}");
    assert_eq!(page.matches("</script").count(), 1, "{page}");
    assert_eq!((page.matches("</style").count(), page.matches("<img").count()), (1, 0), "{page}");
    assert!(page.contains("&lt;/script&gt;&lt;img src=x") && page.contains("&lt;i&gt;odd"), "{page}");
    assert!(!page.contains("href=\"javascript") && !page.contains("<b>nothing"), "{page}");
    assert!(page.contains("default-src 'none'") && !page.contains("unsafe-inline"), "{page}");
    // A file that is there is not overwritten.
    let file = place.project("run.html").display().to_string();
    let args = ["sessions", "export", "<i>odd</i>", "--format", "html", "-o", &file];
    assert_eq!((place.ox(&args).code, place.ox(&args).code), (Some(0), Some(1)));
}
