import Foundation
@testable import Shop
/// A cart.
@objc public class Cart<T: Item>: Base, Shape {
    private let limit = 10
    var size: Int { return items.count }
    static var shared = Cart()
    init(name: String, n: Int = 1) { self.name = name; super.init() }
    deinit { }
    /// Adds.
    @discardableResult
    public func add(_ item: T, to list: [Item]) async throws -> Int {
        let x = Item(name: item.name)
        x.save(); helper(x); list.map { $0.touch() }
        return Total.compute(x)
    }
    subscript(i: Int) -> Int { return i }
    enum State { case open, closed(Int); func f() {} }
}
protocol Shape { func area() -> Double; var n: Int { get } }
struct Point: Hashable { let x: Int; let y: Int }
extension Point { func dist() -> Int { 0 } }
enum Suit: String { case hearts = "H" }
typealias Points = [Point]
func top(a: Int) -> Int { a }
let TOP = 3
func testThing() {}
actor A {}
