A binary file is not shown as text, and a look that failed is no look.

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
It is binary.
-- refusal: nothing_explored --
Not accepted: you have not looked at the code. Read or search what your answer rests on, then conclude again. (refusal 1 of 5)
-- model --
@list_files
-- tool: list_files --
data.bin
-- model --
32 bytes that are no text.
-- stop: answered --
