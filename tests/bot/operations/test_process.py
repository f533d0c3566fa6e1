"""What the process asks of the system."""

import ctypes
import subprocess
import sys

import pytest

#: Prints how many more blocks the system has given singly after the second large one than before.
#: In a process of its own: this one's heap may have room for it.
_SCRIPT = """
import ctypes
from bot.operations.process import return_large_blocks

class Heap(ctypes.Structure):  # glibc's struct mallinfo2
    _fields_ = [
        ("before", ctypes.c_size_t * 3), ("hblks", ctypes.c_size_t), ("after", ctypes.c_size_t * 6)
    ]

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
libc.mallinfo2.restype = Heap
return_large_blocks()
libc.free(libc.malloc(80_000_000))
before = libc.mallinfo2().hblks
libc.malloc(40_000_000)
print(libc.mallinfo2().hblks - before)
"""


def test_a_large_block_does_not_make_the_next_ones_stay() -> None:
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("glibc alone keeps them")
    ran = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True)
    assert ran.stdout.strip() == "1", ran.stderr
