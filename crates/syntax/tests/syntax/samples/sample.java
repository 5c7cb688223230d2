/*
 * Copyright somebody.
 */
package com.example.shop;

import java.util.List;

/**
 * A cart.
 */
@Entity
@Table(name = "cart")
public class Cart<T extends Item> extends Base implements Iterable<T> {
    private static final int LIMIT = 10;
    int a, b;

    /** The items. */
    @Inject
    private List<T> items;

    public Cart() {
        this(null);
    }

    Cart(List<T> items) {
        this.items = items;
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<T>() {
            public boolean hasNext() {
                return false;
            }
        };
    }

    public void add(T item) {
        items.add(item);
    }

    public void add(T item, int count) {
        for (int i = 0; i < count; i++) {
            add(item);
        }
    }

    abstract int total();

    static class Line {
        int total() { return 1; }
    }

    enum State {
        OPEN, CLOSED;

        boolean isOpen() {
            return this == OPEN;
        }
    }
}

interface Shape {
    double PI = 3.14;
    double area();
    default double twice() {
        return 2 * area();
    }
}

record Point(int x, int y) {
    Point {
        check(x);
    }
}

@interface Marker {
    String value() default "";
}
