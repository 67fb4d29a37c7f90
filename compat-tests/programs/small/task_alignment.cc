// Over-aligned C++ objects with copy constructors as firstprivate arguments.
#include <omp.h>

#include <cstdint>
#include <cstdio>

static long crooked, wrong, copies;

template <unsigned Alignment> struct alignas(Alignment) Aligned {
    explicit Aligned(int value) : self(this), first(value), last(value) {}
    Aligned(const Aligned &other) : self(this), first(other.first), last(other.last) {
#pragma omp atomic
        copies += 1;
    }
    void look(int expected) const {
        // Hides the answer from the compiler.
        std::uintptr_t address;
        asm volatile("" : "=r"(address) : "0"(this));
#pragma omp atomic
        crooked += address % Alignment != 0;
#pragma omp atomic
        wrong += self != this || first != expected || last != expected;
    }
    const void *self;
    int first;
    char between[Alignment];
    int last;
};

template <unsigned Alignment> static void tasks(int i) {
    Aligned<Alignment> object(i), second(i + 1);
#pragma omp task firstprivate(object, i)
    object.look(i);
#pragma omp task firstprivate(object, second, i) if (i % 2)
    {
        object.look(i);
        second.look(i + 1);
    }
#pragma omp task firstprivate(object, i) final(i % 3 == 0)
    {
#pragma omp task firstprivate(object, i)
        object.look(i);
#pragma omp taskwait
    }
}

int main() {
    const auto all = [](int i) {
        tasks<8>(i), tasks<16>(i), tasks<32>(i), tasks<64>(i), tasks<128>(i), tasks<512>(i);
    };
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 12; i++) all(i);
    all(20), all(21);
    std::printf("%ld crooked, %ld wrong, %ld copies\n", crooked, wrong, copies);
    return 0;
}
