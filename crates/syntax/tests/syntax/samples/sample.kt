package com.example.shop
import com.example.items.Item
import com.example.util.*
import a.b.C as D
/** A cart. */
@Serializable
class Cart<T : Item>(val name: String, private var n: Int = 1) : Base(n), Shape {
    private val items = mutableListOf<T>()
    val size: Int get() = items.size
    companion object { const val LIMIT = 10
        fun make(): Cart<Item> = Cart("x") }
    init { println(name) }
    constructor(x: Int) : this("a", x) {}
    @Test
    override suspend fun add(item: T): Int {
        val x = Item(item.name)
        items.forEach { it.touch(x) }
        return x.total.compute()
    }
    enum class State { OPEN, CLOSED; fun f() {} }
    inner class Line
}
interface Shape {
    fun area(): Double
}
object Single {
    fun go() {}
}
data class Point(val x: Int, val y: Int)
fun String.twice(): String = this + this
typealias Points = List<Point>
val TOP = 3
