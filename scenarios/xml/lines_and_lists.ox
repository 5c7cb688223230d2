Several lines, angle brackets and lists survive the way through XML.

-- set --
tools: xml
-- repo/page.html --
<ul>
</ul>
-- user --
Add two items.
-- model --
@read_file
paths: = ["page.html"]
-- tool: read_file --
<ul>
</ul>
[page.html: 2 lines]
-- model --
@edit_file
edits: = [{"path": "page.html", "old": "<ul>\n", "new": "<ul>\n  <li>one</li>\n  <li>two</li>\n"}]
-- tool: edit_file --
edited page.html:1-3
-- model --
@write_file
path: other.html
content: |
  <p>
    a < b && c > d
  </p>
-- tool: write_file --
created other.html (3 lines)
-- model --
Two items are there.
-- after/other.html --
<p>
  a < b && c > d
</p>
-- after/page.html --
<ul>
  <li>one</li>
  <li>two</li>
</ul>
-- stop: done_unchecked --
