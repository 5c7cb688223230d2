//! Outputs of the tools of the other ecosystems, with their versions.

use super::*;

samples! {
    cmake_build_3_25 => expect![[r#"
        /home/me/cm/t.c:1:38 ‘y’ undeclared (first use in this function)
    "#]];
    cmake_configure_3_25 => expect![[r#"
        CMakeLists.txt:3:0 [find_package] By not providing "FindNope.cmake" in CMAKE_MODULE_PATH this project has
            asked CMake to find a package configuration file provided by "Nope", but
            CMake did not find one.
            Could not find a package configuration file provided by "Nope" with any of
            the following names:
            NopeConfig.cmake
    "#]];
    ctest_3_25 => expect![[r#"
        t.c:4:0 [bad] Failed
            t.c:4: expected 3, got -1
        /home/me/cm/t.c:4:0 [crash] Subprocess aborted
            t: /home/me/cm/t.c:4: main: Assertion `c == 4' failed.
    "#]];
    go_build_1_19 => expect![[r#"
        bad/b.go:5:16 x declared but not used
        bad/b.go:5:62 undefined: undefinedName
    "#]];
    go_test_1_19 => expect![[r#"
        example.com/m/calc/calc_test.go:9:0 [TestAdd/case] Add(1, 2) = -1, want 3
        example.com/m/calc/calc_test.go:14:0 [TestFatal] first
            stop
        /home/me/go/calc/calc.go:4:0 [TestZBoom] panic: assignment to entry in nil map
    "#]];
    go_vet_1_19 => expect![[r#"
        bad/b.go:5:62 undeclared name: undefinedName
    "#]];
    minitest_5 => expect![[r#"
        /home/me/ruby/test/calc_test.rb:5:0 [CalcTest#test_add] Expected: 3
            Actual: -1
        /home/me/ruby/lib/calc.rb:6:0 [CalcTest#test_boom] KeyError: gone
    "#]];
    mix_compile_1_14 => expect![[r#"
        lib/bad.ex:2:0 [CompileError] undefined function y/0 (expected Bad to define such a function or for it to be imported, but none are available)
    "#]];
    mix_syntax_1_14 => expect![[r#"
        lib/bad.ex:3:1 [TokenMissingError] missing terminator: end (for "do" starting at line 2)
    "#]];
    mix_test_1_14 => expect![[r#"
        test/ex_test.exs:5:0 [ExTest math adds] Assertion with == failed
            code:  assert Ex.add(1, 2) == 3
            left:  -1
            right: 3
        lib/ex.ex:3:0 [ExTest boom] ** (RuntimeError) gone
            code: Ex.boom()
    "#]];
    php_syntax_8_2 => expect![[r#"
        bad.php:4:0 Parse error: syntax error, unexpected token "}", expecting "," or ";"
    "#]];
    phpcs_3_7 => expect![[r#"
        /home/me/php/style.php:1:1 Header blocks must be separated by a single blank line
        /home/me/php/style.php:2:11 Expected 0 spaces after opening parenthesis; 1 found
        /home/me/php/style.php:2:16 Expected 0 spaces before closing parenthesis; 1 found
        /home/me/php/style.php:2:17 Opening brace should be on a new line
        /home/me/php/style.php:3:1 Spaces must be used to indent lines; tabs are not allowed
    "#]];
    phpunit_9_6 => expect![[r#"
        /home/me/php/src/Calc.php:2:0 [CalcTest::testBoom] LogicException: gone
        /home/me/php/tests/CalcTest.php:8:0 [CalcTest::testAdd] Failed asserting that -1 is identical to 3.
        /home/me/php/tests/CalcTest.php:13:0 [CalcTest::testRows with data set "two" (2)] Failed asserting that two arrays are equal.
            --- Expected
            +++ Actual
            @@ @@
             Array (
            -    'x' => 1
            +    'x' => 2
             )
    "#]];
    rspec_3_12 => expect![[r#"
        ./spec/calc_spec.rb:4:0 [Calc adds] expect(Calc.new.add(1, 2)).to eq(3)
            expected: 3
            got: -1
        ./lib/calc.rb:6:0 [Calc inner raises] raise KeyError, 'gone'
            KeyError:
            gone
    "#]];
    rspec_load_3_12 => expect![[r#"
        ./spec2/miss_spec.rb:1:0 LoadError:
            cannot load such file -- nope_gem
    "#]];
    rubocop_emacs_1_39 => expect![[r#"
        /home/me/ruby/Rakefile:1:1 [Style/FrozenStringLiteralComment] Missing frozen string literal comment.
        /home/me/ruby/bad.rb:5:1 [Lint/Syntax] unexpected token $end (Using Ruby 2.6 parser; configure using `TargetRubyVersion` parameter, under `AllCops`)
        /home/me/ruby/lib/calc.rb:1:1 [Style/Documentation] Missing top-level documentation comment for `class Calc`.
        /home/me/ruby/lib/calc.rb:1:1 [Style/FrozenStringLiteralComment] Missing frozen string literal comment.
        /home/me/ruby/lib/calc.rb:2:11 [Naming/MethodParameterName] Method parameter must be at least 3 characters long.
        /home/me/ruby/lib/calc.rb:2:14 [Naming/MethodParameterName] Method parameter must be at least 3 characters long.
        /home/me/ruby/lib/calc.rb:5:3 [Layout/EmptyLineBetweenDefs] Expected 1 empty line between method definitions; found 0.
        /home/me/ruby/spec/calc_spec.rb:1:1 [Style/FrozenStringLiteralComment] Missing frozen string literal comment.
        /home/me/ruby/spec/calc_spec.rb:11:3 [Lint/EmptyBlock] Empty block detected.
        /home/me/ruby/spec2/calc_spec.rb:1:1 [Style/FrozenStringLiteralComment] Missing frozen string literal comment.
        /home/me/ruby/spec2/calc_spec.rb:11:3 [Lint/EmptyBlock] Empty block detected.
        /home/me/ruby/spec2/miss_spec.rb:1:1 [Style/FrozenStringLiteralComment] Missing frozen string literal comment.
        /home/me/ruby/st.rb:1:1 [Lint/UselessAssignment] Useless assignment to variable - `a`.
        /home/me/ruby/st.rb:1:1 [Style/FrozenStringLiteralComment] Missing frozen string literal comment.
        /home/me/ruby/st.rb:2:1 [Lint/UselessAssignment] Useless assignment to variable - `b`.
        /home/me/ruby/st.rb:2:2 [Layout/SpaceAroundOperators] Surrounding space missing for operator `=`.
        /home/me/ruby/test/calc_test.rb:1:1 [Style/FrozenStringLiteralComment] Missing frozen string literal comment.
        /home/me/ruby/test/calc_test.rb:7:3 [Layout/EmptyLineBetweenDefs] Expected 1 empty line between method definitions; found 0.
        /home/me/ruby/test/calc_test.rb:10:3 [Layout/EmptyLineBetweenDefs] Expected 1 empty line between method definitions; found 0.
        /home/me/ruby/test/calc_test.rb:10:3 [Style/EmptyMethod] Put empty method definitions on a single line.
        /home/me/ruby/test/unit_test.rb:1:1 [Style/FrozenStringLiteralComment] Missing frozen string literal comment.
        /home/me/ruby/test/unit_test.rb:7:3 [Layout/EmptyLineBetweenDefs] Expected 1 empty line between method definitions; found 0.
    "#]];
    ruby_syntax_3_1 => expect![[r#"
        bad.rb:4:0 syntax error, unexpected end-of-input, expecting `end'
    "#]];
    test_unit_3 => expect![[r#"
        test/unit_test.rb:5:0 [UnitTest#test_add] <3> expected but was
            <-1>
        /home/me/ruby/lib/calc.rb:6:0 [UnitTest#test_boom] KeyError: gone
    "#]];
    dotnet_build_doc => expect![[r#"
        /home/me/dotnet/src/Calc.cs:7:16 [CS0029] Cannot implicitly convert type 'string' to 'int'
        /home/me/dotnet/src/Calc.csproj:0:0 [NU1101] Unable to find package Nope. No packages exist with this id in source(s): nuget.org
    "#]];
    dotnet_test_doc => expect![[r#"
        /home/me/dotnet/tests/CalcTests.cs:12:0 [Calc.Tests.CalcTests.Adds] Assert.Equal() Failure: Values differ
            Expected: 3
            Actual:   -1
    "#]];
    swift_doc => expect![[r#"
        /home/me/swift/Sources/Calc/Calc.swift:3:16 cannot convert return expression of type 'String' to return type 'Int'
        /home/me/swift/Tests/CalcTests/CalcTests.swift:7:0 [CalcTests.testAdds] XCTAssertEqual failed: ("-1") is not equal to ("3")
        MathTests.swift:9:5 [subtracts()] Expectation failed: (sub(1, 2) → 3) == -1
    "#]];
    nextest_doc => expect![[r#"
        src/lib.rs:14:9 [tests::adds] assertion `left == right` failed
            left: 0
            right: 4
        :0:0 [tests::returns] Error: "it broke"
    "#]];
    mix_compile_doc_1_18 => expect![[r#"
        lib/bad.ex:2:17 undefined variable "y"
    "#]];
    phpunit_doc_11 => expect![[r#"
        /home/me/php/tests/CalcTest.php:8:0 [Tests\CalcTest::testAdd] Failed asserting that -1 is identical to 3.
    "#]];
}
