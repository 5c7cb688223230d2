package com.example.shop
import com.example.items.Item
import com.example.util.{A, B => C, _}
import scala.collection.mutable.*
/** A cart. */
@deprecated
case class Cart[T <: Item](name: String, n: Int = 1) extends Base(n) with Shape {
  private val items = List[T]()
  var size: Int = 0
  type K = Int
  /** Adds. */
  override def add(item: T): Int = {
    val x = new Item(item.name)
    items.foreach(it => it.touch(x))
    helper(x)
    x.total.compute()
  }
  def abs: Int
}
object Cart { def make() = Cart("x"); val LIMIT = 10 }
trait Shape { def area(): Double }
enum Suit { case Hearts, Spades }
given Ordering[Int] with { def compare(a: Int, b: Int) = 0 }
extension (s: String) def twice: String = s + s
def top(a: Int): Int = a
