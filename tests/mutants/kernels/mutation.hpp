// What the places of kernels call that `sources.py` has marked. Each place has a number; the one that is active behaves differently.
// `a < b` becomes `a < mutation::Less{7} < b`: the markers are operands, so the rest of an expression keeps its structure.
#pragma once

#include <algorithm>

namespace mutation {

extern int active;       // the number of the mutant, or -1
extern char reached[];   // of each number, whether its place was reached

inline bool is(int number) {
    reached[number] = 1;
    return active == number;
}

inline bool flip(int number, bool value) { return is(number) != value; }
inline bool keep(int number) { return !is(number); }

template <class T>
T number(int number, T value) {
    return is(number) ? static_cast<T>(value + 1) : value;
}

template <class T>
T least(int number, const T& a, const T& b) {
    return is(number) ? std::max(a, b) : std::min(a, b);
}

template <class T>
T greatest(int number, const T& a, const T& b) {
    return is(number) ? std::min(a, b) : std::max(a, b);
}

#define SHOAL_MUTATION(Name, OP, CHANGED)                                                            \
    struct Name {                                                                                    \
        int number;                                                                                  \
    };                                                                                               \
    template <class A>                                                                               \
    struct Left##Name {                                                                              \
        A a;                                                                                         \
        int number;                                                                                  \
    };                                                                                               \
    template <class A>                                                                               \
    Left##Name<A> operator OP(const A& a, Name place) {                                              \
        return {a, place.number};                                                                    \
    }                                                                                                \
    template <class A, class B>                                                                      \
    auto operator OP(const Left##Name<A>& left, const B& b)->decltype(left.a OP b) {                 \
        if constexpr (requires { left.a CHANGED b; }) {                                              \
            if (is(left.number)) return static_cast<decltype(left.a OP b)>(left.a CHANGED b);        \
        }                                                                                            \
        return left.a OP b;                                                                          \
    }

SHOAL_MUTATION(Less, <, <=)
SHOAL_MUTATION(LessEqual, <=, <)
SHOAL_MUTATION(Greater, >, >=)
SHOAL_MUTATION(GreaterEqual, >=, >)
SHOAL_MUTATION(Equal, ==, !=)
SHOAL_MUTATION(Unequal, !=, ==)
SHOAL_MUTATION(Plus, +, -)
SHOAL_MUTATION(Minus, -, +)
SHOAL_MUTATION(Times, *, +)
SHOAL_MUTATION(Over, /, *)
SHOAL_MUTATION(Rest, %, *)
SHOAL_MUTATION(BothBits, &, |)
SHOAL_MUTATION(ShiftLeft, <<, >>)
#undef SHOAL_MUTATION

}  // namespace mutation
