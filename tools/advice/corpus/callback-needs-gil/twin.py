"""The program with the cure applied: release the GIL around the call (ctypes.CDLL, nogil)."""
import ctypes
import os

library = ctypes.CDLL(os.environ["CASE_LIBRARY"])
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int)
seen = []


@CALLBACK
def callback(number):
    seen.append(number)


library.each(callback)
print(len(seen))
