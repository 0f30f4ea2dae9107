"""``make bench``: every measurement, one after the other."""

from tools.benchmarks import history, lab, moves, odds, peers, tables

if __name__ == "__main__":
    for benchmark in (moves, peers, tables, odds, lab, history):
        print(f"== {(benchmark.__doc__ or '').partition(':')[0]}")
        benchmark.main()
        print()
