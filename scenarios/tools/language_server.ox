A language server answers where a symbol is defined and used and what is wrong, and renames it.

-- set --
needs: clangd
checks: none
speeds: agent (a program of the machine answers)
-- repo/compile_commands.json --
[{"directory": ".", "file": "main.c", "command": "cc -c main.c"}]
-- repo/main.c --
int greet(int times) { return times; }

int main(void) { return greet(1); }
-- user --
Rename greet to welcome.
-- model --
@use_tool
name: language_server
args: = {"query": "definition", "path": "main.c", "symbol": "greet", "line": 3}
@use_tool
name: language_server
args: = {"query": "references", "path": "main.c", "symbol": "greet", "line": 1}
@use_tool
name: language_server
args: = {"query": "diagnostics", "path": "main.c"}
-- tool: language_server --
main.c:1: int greet(int times) { return times; }
-- tool: language_server --
main.c:1: int greet(int times) { return times; }
main.c:3: int main(void) { return greet(1); }
-- tool: language_server --
no problems in main.c [clangd]
-- model --
@use_tool
name: rename_symbol
args: = {"path": "main.c", "symbol": "greet", "new_name": "welcome"}
-- tool: rename_symbol --
edited main.c:1, 3
@@ -1,1 +1,1 @@
-int greet(int times) { return times; }
+int welcome(int times) { return times; }
@@ -3,1 +3,1 @@
-int main(void) { return greet(1); }
+int main(void) { return welcome(1); }
-- model --
@attempt_completion
result: Renamed.
-- after/main.c --
int welcome(int times) { return times; }

int main(void) { return welcome(1); }
-- stop: done_unchecked --
