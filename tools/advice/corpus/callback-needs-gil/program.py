"""A library calls back into Python from its threads, while the caller keeps the interpreter's lock."""
import ctypes
import os

library = ctypes.PyDLL(os.environ["CASE_LIBRARY"])
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int)
seen = []


@CALLBACK
def callback(number):
    seen.append(number)


library.each(callback)
print(len(seen))
