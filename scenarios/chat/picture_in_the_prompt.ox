The user shows a picture; it goes to the model before the words.

-- repo/shot.png (base64) --
iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
-- user: chat --
@image shot.png
What is wrong in this picture?
-- prompt --
tool_choice: auto
[user]
<image image/png shot.png>
<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<files>
1 files in 0 folders
shot.png
</files>
<mode>
Mode: chat. Answer from the code, naming files and lines; look before you answer. You cannot change anything: commands run on a private copy of the project that is gone when they end, so run what shows how things are. When you know the answer, give it as plain text without calls.
</mode>
What is wrong in this picture?
-- model --
@list_files
-- tool: list_files --
shot.png
-- model --
It is a single pixel.
-- stop: answered --
