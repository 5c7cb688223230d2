; Its grammar comes without a query of its own.

(line_comment) @comment
(block_comment) @comment
(shebang) @comment
(number_literal) @number
(float_literal) @number
(string_literal) @string
(multiline_string_literal) @string
(character_literal) @string
(interpolation) @embedded
(escape_sequence) @escape
(annotation) @attribute
(label) @label
(user_type (identifier) @type)
(class_declaration name: (identifier) @type)
(object_declaration name: (identifier) @type)
(enum_entry (identifier) @constant)
(function_declaration name: (identifier) @function)
((identifier) @keyword (#any-of? @keyword "break" "continue"))
(call_expression . (identifier) @function)
(call_expression . (navigation_expression (identifier) @function .))
(this_expression) @variable.builtin
(super_expression) @variable.builtin
((identifier) @boolean (#any-of? @boolean "true" "false" "null"))
[
  "abstract" "actual" "annotation" "as" "as?" "by" "catch" "class" "companion" "const" "constructor"
  "crossinline" "data" "do" "else" "enum" "expect" "external" "final" "finally" "for" "fun" "get" "if" "import" "in" "infix"
  "init" "inline" "inner" "interface" "internal" "is" "lateinit" "noinline" "object" "open" "operator" "out" "override"
  "package" "private" "protected" "public" "return" "sealed" "set" "suspend" "tailrec" "throw" "try" "typealias" "val" "value"
  "var" "vararg" "when" "where" "while"
] @keyword
