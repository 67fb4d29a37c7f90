"""Four threads of Python, each of which calls a library with a team of its own."""
import ctypes
import os
from concurrent.futures import ThreadPoolExecutor

library = ctypes.CDLL(os.environ["CASE_LIBRARY"])
library.predict.restype = ctypes.c_double


def predict(_):
    return library.predict()


with ThreadPoolExecutor(4) as pool:
    print(f"{sum(pool.map(predict, range(16))):.3f}")
