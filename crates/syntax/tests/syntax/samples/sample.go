// Package sample is one.
package sample

import "fmt"

const Limit = 10

const (
	A = iota
	B
	// C is the third.
	C
)

var x, y = 1, 2

// ErrGone says so.
var ErrGone = fmt.Errorf("gone")

// Stack is a stack.
type Stack[T any] struct {
	items []T
}

type (
	Name  string
	Shape interface {
		// Area is the area.
		Area() float64
	}
)

// Push adds.
func (s *Stack[T]) Push(item T) {
	s.items = append(s.items, item)
}

func (s Stack[T]) Len() int { return len(s.items) }

func New[T any]() *Stack[T] {
	text := `
raw
`
	helper := func() {}
	helper()
	_ = text
	return &Stack[T]{}
}

func init() {}
func init() {
	fmt.Println()
}
