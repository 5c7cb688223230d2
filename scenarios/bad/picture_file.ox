A picture is read as a picture.

-- repo/dot.png (base64) --
iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
-- user: chat --
What is on dot.png?
-- model --
@read_file
path: dot.png
-- tool: read_file --
[dot.png, image/png, 96 bytes of base64]
-- prompt: new --
tool_choice: auto
[assistant]
@read_file {"path":"dot.png"}
[result of read_file]
[dot.png, image/png, 96 bytes of base64]
<image image/png>
-- model --
A dot.
-- stop: answered --
