"""The program with the cure applied: one OpenMP thread for each Python thread (threadpoolctl, OMP_NUM_THREADS=1)."""
import ctypes
import os
from concurrent.futures import ThreadPoolExecutor

library = ctypes.CDLL(os.environ["CASE_LIBRARY"])
library.predict.restype = ctypes.c_double


def predict(_):
    library.omp_set_num_threads(1)
    return library.predict()


with ThreadPoolExecutor(2) as pool:
    print(f"{sum(pool.map(predict, range(16))):.3f}")
