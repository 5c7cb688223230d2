//! Edits by name in TypeScript.

use super::super::call;
use super::super::samples::TYPESCRIPT;
use super::table;
use expect_test::expect;

#[test]
fn typescript() {
    let calls = [
        call("Item.render", "insert_after", "close(): void;"),
        call("Options", "replace", "type Options = {\n    flat: boolean;\n}"),
        call("Options", "replace_body", "flat: boolean;"),
        call("pick", "replace_body", "return a ?? '';"),
        call("App", "replace", "export class App {\n}"),
        call("App.id", "replace", "@Input() id = 2"),
        call("App.handle", "replace_signature", "async handle(event: Event): Promise<void>"),
        call("Item", "delete", ""),
    ];
    table(
        "app.ts",
        TYPESCRIPT,
        &calls,
        expect![[r#"
        ==== Item.render insert_after
        @@ -3,2 +3,3 @@
             render(x: string): void;
        +    close(): void;
         }
        ==== Options replace
        @@ -6,3 +6,3 @@
         type Options = {
        -    deep: boolean;
        +    flat: boolean;
         };
        ==== Options replace_body
        @@ -6,3 +6,3 @@
         type Options = {
        -    deep: boolean;
        +    flat: boolean;
         };
        ==== pick replace_body
        @@ -11,3 +11,3 @@
         function pick(a: any): any {
        -    return a;
        +    return a ?? '';
         }
        ==== App replace
        @@ -14,11 +14,3 @@

        -@Component({
        -    selector: 'app',
        -})
         export class App {
        -    @Input() id = 1;
        -
        -    handle(event: Event): void {
        -        console.log(event);
        -    }
         }
        ==== App.id replace
        @@ -18,3 +18,3 @@
         export class App {
        -    @Input() id = 1;
        +    @Input() id = 2;

        ==== App.handle replace_signature
        @@ -20,3 +20,3 @@

        -    handle(event: Event): void {
        +    async handle(event: Event): Promise<void> {
                 console.log(event);
        ==== Item delete
        @@ -1,6 +1,1 @@
        -export interface Item {
        -    id: number;
        -    render(x: string): void;
        -}
        -
         type Options = {
    "#]],
    );
}
