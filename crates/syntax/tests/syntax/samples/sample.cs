using System;
using System.Collections.Generic;
using static System.Math;
using Foo = Bar.Baz;
namespace Shop.Cart;
/// <summary>A cart.</summary>
[Serializable]
public class Cart<T> : Base, IThing where T : Item {
    private const int Limit = 10;
    public string Name { get; set; }
    public event EventHandler Changed;
    public Cart(int n) : base(n) { this.n = n; }
    [Test]
    public async Task<int> Add(Item item, int count = 1) {
        var x = new List<Item>();
        foreach (var y in x) { Console.WriteLine(y.Name); Helper(y); }
        return await Total.Compute<T>(item);
    }
    public int Area => 3;
    public static Cart operator +(Cart a, Cart b) => a;
    public int this[int i] { get { return i; } }
    enum State { Open, Closed }
    delegate void Go(int x);
    ~Cart() {}
}
public record Point(int X, int Y);
public struct S { public int a; }
interface I { void F(); }
namespace Inner { class Q {} }
