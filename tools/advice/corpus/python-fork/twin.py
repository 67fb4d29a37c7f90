"""The program with the cure applied: the start method "spawn" or "forkserver"."""
import ctypes
import multiprocessing
import os


def search(_):
    library = ctypes.CDLL(os.environ["CASE_LIBRARY"])
    library.search.restype = ctypes.c_double
    return library.search()


if __name__ == "__main__":
    print(f"{search(0):.3f}", flush=True)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(search, [1])[0] > 0, flush=True)
