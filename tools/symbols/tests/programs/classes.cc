// As constructs.c, in templates, members, lambdas and constructors.
#include <cstdio>
#include <link.h>
#include <vector>

static int bias(dl_phdr_info *info, std::size_t, void *)
{
    std::printf("bias 0x%lx\n", static_cast<unsigned long>(info->dlpi_addr));
    return 1;
}

__attribute__((noinline)) static void here(const char *tag)
{
    std::fprintf(stdout, "%s %p\n", tag, __builtin_return_address(0));
    __asm__ volatile("");
}

static volatile int sink[64];

namespace app {

struct Field {
    std::vector<double> cells;

    __attribute__((noinline)) explicit Field(long size) : cells(static_cast<std::size_t>(size))
    {
#pragma omp parallel /* construct built */
        {
            here("built");
            sink[0]++;
        }
    }

    template <class F> __attribute__((noinline)) void each(F f)
    {
#pragma omp parallel for /* construct each */
        for (std::size_t i = 0; i < cells.size(); i++) {
            here("each");
            f(cells[i]);
        }
    }

    double relax(double weight) const;
};

__attribute__((noinline)) double Field::relax(double weight) const
{
    double sum = 0;
#pragma omp parallel reduction(+ : sum) /* construct relax */
    {
        here("relax");
        sum += weight;
        auto step = [&](int by) {
#pragma omp task firstprivate(by) /* construct step */
            {
                here("step");
                sink[by]++;
            }
#pragma omp taskwait
        };
        step(3);
#pragma omp task firstprivate(weight) /* construct after */
        {
            here("after");
            sink[4] += static_cast<int>(weight);
        }
    }
    return sum;
}

} // namespace app

int main()
{
    dl_iterate_phdr(bias, nullptr);
    app::Field field(4);
    field.each([](double &cell) { cell *= 2; });
    sink[5] = static_cast<int>(field.relax(2));
    return 0;
}
