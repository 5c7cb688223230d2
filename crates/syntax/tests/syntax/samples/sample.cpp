#include <vector>

namespace geo {

namespace {
int hidden() { return 1; }
}

/// A shape.
class Shape {
public:
    Shape();
    explicit Shape(int n) : n_(n) {}
    virtual ~Shape() = default;

    // The area.
    virtual double area() const = 0;
    bool operator==(const Shape& other) const {
        return n_ == other.n_;
    }
    operator bool() const;

    struct Inner {
        int value;
    };

private:
    int n_;
};

template <typename T>
class Box {
public:
    T get() const;
    template <typename U>
    void set(U value) {
        value_ = value;
    }
    T value_;
};

template <typename T>
T Box<T>::get() const {
    return value_;
}

Shape::Shape() : n_(0) {
}

Shape::operator bool() const { return n_ > 0; }

int add(int a, int b) { return a + b; }
double add(double a, double b) { return a + b; }

using Shapes = std::vector<Shape>;

}  // namespace geo

namespace a::b {
void deep() {
    auto f = [](int x) { return x; };
    const char* s = R"(
raw
)";
}
}

extern "C" {
void plain(void) {}
}
extern "C" int single(int x) { return x; }

enum class Color : int { Red, Green };

int geo::free_function(int x) { return x; }
