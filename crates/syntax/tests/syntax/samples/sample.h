#pragma once
namespace geo {
class Point {
public:
    int x() const;
};
}
