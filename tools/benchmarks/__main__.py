"""``make bench``: what a move costs, and what a question about the odds costs."""

from tools.benchmarks import moves, odds

if __name__ == "__main__":
    for benchmark in (moves, odds):
        print(f"== {(benchmark.__doc__ or '').partition(':')[0]}")
        benchmark.main()
        print()
