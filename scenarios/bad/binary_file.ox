A binary file is not shown as text; that it is one is an answer.

-- repo/data.bin (base64) --
AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
-- user: chat --
What is in data.bin?
-- model --
@read_file
path: data.bin
-- tool: read_file failed --
`data.bin` is a binary file (32 bytes), not text; it cannot be shown or edited as text
-- model --
32 bytes that are no text.
-- stop: answered --
