What the user changed elsewhere in the file is kept; where both changed the same definition, nothing is overwritten.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/add.go --
package add

// Add adds.
func Add(a, b int) int {
	return a - b
}
-- user --
Add must add.
-- model --
@read_file
path: add.go
-- tool: read_file --
package add

// Add adds.
func Add(a, b int) int {
	return a - b
}
[add.go: 6 lines]
-- repo-change/add.go --
package add

import "fmt"

// Add adds.
func Add(a, b int) int {
	return a - b
}
-- model --
@edit_symbol
path: add.go
symbol: add.Add
action: replace_body
new: return a + b
-- tool: edit_symbol --
edited add.go:7
@@ -7,1 +7,1 @@
-	return a - b
+	return a + b
[changed on disk since you read it: add.go (line 3-4); both changes are in it now]
-- repo-change/add.go --
package add

import "fmt"

// Add adds.
func Add(a, b int) int {
	fmt.Println(a, b)
	return a + b
}
-- model --
@edit_symbol
path: add.go
symbol: Add
action: replace_body
new: return b + a
-- tool: edit_symbol failed --
`add.go` changed on disk after you read it, at the very place of this edit; nothing was changed.
Line 7 is now:
    	fmt.Println(a, b)
Send the edit again for the text as it is now.
-- model --
It adds now.
-- stop: done_unchecked --
