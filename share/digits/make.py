"""Make digits_train.npz and digits_test.npz: always the same values, and with one zlib the same bytes.

    python make.py [DIGITS.npz]

Without an argument the images come from scikit-learn (sklearn.datasets.load_digits), put into the
order of numpy.random.RandomState(0).permutation; with one, from a file that holds them already in
that order (arrays images: uint8 N x 64, labels).  The first 1437 are for training, the other 360
for testing.  Needs numpy.
"""
import os
import sys
import zipfile
import zlib
import numpy as np

N_TRAIN = 1437


def load():
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as stored:
            return stored["images"].reshape(-1, 64), stored["labels"]
    from sklearn.datasets import load_digits
    data = load_digits()
    order = np.random.RandomState(0).permutation(len(data.target))
    return data.images.reshape(-1, 64)[order], data.target[order]


def write(path, **arrays):
    """An .npz as numpy.savez_compressed writes it, but with a fixed date and mode."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(name + ".npy", date_time=(1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            with archive.open(member, "w") as out:
                np.lib.format.write_array(out, np.ascontiguousarray(array), allow_pickle=False)


def main():
    images, labels = load()
    x0 = (images / np.float32(16)).astype(np.float32)
    x1 = labels.astype(np.int64)
    here = os.path.dirname(os.path.abspath(__file__))
    for name, part in (("digits_train.npz", slice(0, N_TRAIN)), ("digits_test.npz", slice(N_TRAIN, None))):
        path = os.path.join(here, name)
        write(path, x0=x0[part], x1=x1[part])
        print("%s: %d rows, crc32 of the values %08x" %
              (name, len(x1[part]), zlib.crc32(x1[part].tobytes(), zlib.crc32(x0[part].tobytes()))))


if __name__ == "__main__":
    main()
