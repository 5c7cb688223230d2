A list of edits in XML: first as JSON whose texts have real line breaks, which is refused whole, then with a tag for each field.

-- set --
tools: xml
speeds: agent xml (only where calls are read from text)
-- repo/max.h --
template <typename T>
bool in_range(T value) {
  return value <= 255;
}
-- repo/use.cc --
bool fits = in_range<int>(300);
-- user --
Negative values are not in range; call it fits_byte.
-- model --
@read_file
paths: = ["max.h", "use.cc"]
-- tool: read_file --
==> max.h <==
template <typename T>
bool in_range(T value) {
  return value <= 255;
}
==> use.cc <==
bool fits = in_range<int>(300);
-- model --
Both places in one call.
<edit_file>
<edits>[{"path": "max.h", "old": "bool in_range(T value) {
  return value <= 255;", "new": "bool fits_byte(T value) {
  return value >= 0 && value <= 255;"}]</edits>
</edit_file>
-- tool: edit_file failed --
`edit_file` was not run; its arguments do not fit:
- `edits` must be a list; it is a text that is no JSON: control character (\u0000-\u001F) found while parsing a string at line 2 column 0
Given: edits.
Schema: {"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"line":{"type":"integer","description":"where `old` starts, if it is not unique"},"all":{"type":"boolean","description":"every occurrence"},"edits":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"line":{"type":"integer"},"all":{"type":"boolean"}},"required":["old","new"]}},"why":{"type":"string","description":"in a few words"}}}
-- model --
<edit_file>
<edits>
<path>max.h</path>
<old>
bool in_range(T value) {
  return value <= 255;
</old>
<new>
bool fits_byte(T value) {
  return value >= 0 && value <= 255;
</new>
</edits>
<edits>
<path>use.cc</path>
<old>in_range<int></old>
<new>fits_byte<int></new>
</edits>
</edit_file>
-- tool: edit_file --
edited max.h:2-3
edited use.cc:1
-- model --
Both places are changed.
-- after/max.h --
template <typename T>
bool fits_byte(T value) {
  return value >= 0 && value <= 255;
}
-- after/use.cc --
bool fits = fits_byte<int>(300);
-- stop: done_unchecked --
