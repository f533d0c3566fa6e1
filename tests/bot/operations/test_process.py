"""What the process asks of the system."""

import ctypes

import pytest

from bot.operations.process import return_large_blocks


class _Heap(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [
        ("_before", ctypes.c_size_t * 3),
        ("hblks", ctypes.c_size_t),
        ("_after", ctypes.c_size_t * 6),
    ]


def test_a_large_block_does_not_make_the_next_ones_stay() -> None:
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo2"):
        pytest.skip("glibc alone keeps them")
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
    libc.mallinfo2.restype = _Heap
    return_large_blocks()
    libc.free(libc.malloc(8_000_000))
    before = libc.mallinfo2().hblks
    block = libc.malloc(4_000_000)
    assert libc.mallinfo2().hblks == before + 1
    libc.free(block)
