import { describe, expect, it } from "vitest";
import { symbolsOf } from "../support/source.ts";

/** Language → name of a file, its source, its outline. */
const languages: readonly (readonly [string, string, string, readonly string[]])[] = [
  [
    "Java",
    "A.java",
    `package a;

/** Keeps. */
@Service
public class Store<T> implements Base {
    // Opens.
    public Store() {
        this.x = 1;
    }
    @Override
    public <R> List<R> all(int a) {
        return null;
    }
    interface Visitor {
        void visit();
    }
}
enum Color {
    RED,
}
record Point(int x,
    int y) {}
`,
    [
      "3-17 class Store",
      "  6-9 Store()",
      "  10-13 all()",
      "  14-16 interface Visitor",
      "18-20 enum Color",
      "21-22 record Point",
    ],
  ],
  [
    "C",
    "a.c",
    `#include <stdio.h>
#define MAX(a, b) \\
  ((a) > (b) ? (a) : (b))
typedef struct {
  int x;
} point_t;
struct node {
  struct node *next;
};
/* Adds. */
static int *add(int a,
                int b)
{
  return 0;
}
#ifdef DEBUG
void (*pick(int a))(void)
{
  return 0;
}
#endif
`,
    ["2-3 macro MAX", "4-6 type point_t", "7-9 struct node", "10-15 add()", "17-20 pick()"],
  ],
  [
    "C++",
    "a.hpp",
    `namespace geo {
// A shape.
template <typename T>
class Shape : public Base {
 public:
  Shape() {
    n = 0;
  }
  virtual T area() const = 0;
  bool operator==(const Shape& o) const {
    return true;
  }
};
}  // namespace geo
template <class T>
T& geo::Shape<T>::at(int i) {
  return n;
}
enum class Color {
  Red,
};
`,
    [
      "1-14 namespace geo",
      "  2-13 class Shape",
      "    6-8 Shape()",
      "    10-12 operator==()",
      "15-18 geo::Shape<T>::at()",
      "19-21 enum Color",
    ],
  ],
  [
    "C#",
    "a.cs",
    `using System;
namespace App
{
    /// <summary>Keeps.</summary>
    [Serializable]
    public class Store : Base
    {
        public int Size
        {
            get { return 0; }
        }
        public async Task<int> Run(int a)
        {
            return a;
        }
    }
    public record struct Point(
        int X);
    interface IVisit
    {
        void Visit();
    }
}
`,
    [
      "2-23 namespace App",
      "  4-16 class Store",
      "    8-11 Size",
      "    12-15 Run()",
      "  17-18 record Point",
      "  19-22 interface IVisit",
    ],
  ],
  [
    "Go",
    "a.go",
    `package main

// Server serves.
type Server struct {
	addr string
}

// Start starts.
func (s *Server) Start(ctx context.Context) error {
	return nil
}

func main() {
	run()
}
`,
    ["3-6 type Server", "8-11 Server.Start()", "13-15 main()"],
  ],
  [
    "Rust",
    "a.rs",
    `/// A point.
#[derive(Debug)]
pub struct Point {
    x: i32,
}

impl fmt::Display for Point {
    /// Formats.
    fn fmt(&self) -> R {
        ok()
    }
}
impl<T> Vec<T> {
    fn a() {
        b()
    }
}
trait Shape {
    fn area(&self) -> f64;
}
#[cfg(test)]
mod tests {
    #[test]
    fn works() {
        assert!(true);
    }
}
macro_rules! all {
    () => {};
}
`,
    [
      "1-5 struct Point",
      "7-12 impl fmt::Display for Point",
      "  8-11 fmt()",
      "13-17 impl Vec<T>",
      "  14-16 a()",
      "18-20 trait Shape",
      "21-27 mod tests",
      "  23-26 works()",
      "28-30 macro all",
    ],
  ],
];

describe("source code of compiled languages is taken apart at its functions and classes", () => {
  it.each(languages)(
    "%s: symbols with their comments and decorators, by nesting",
    async (_, name, source, symbols) => {
      expect(await symbolsOf(name, source)).toEqual(symbols);
    },
  );
});
