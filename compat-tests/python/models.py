"""Fits models of packages that use OpenMP: `models.py PACKAGE...`. Prints digests of what they predict."""

import hashlib
import os
import sys

# Linear algebra has threads of its own, which are not OpenMP's; on one of them its sums are the same each time.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy

random = numpy.random.RandomState(7)
x = random.rand(2000, 12)
y = x[:, 0] * 3 + x[:, 1] ** 2 + random.rand(2000) * 0.1


def sklearn():
    from sklearn.cluster import KMeans
    from sklearn.ensemble import HistGradientBoostingRegressor

    boosted = HistGradientBoostingRegressor(max_iter=20, random_state=0).fit(x, y)
    clusters = KMeans(4, n_init=1, random_state=0).fit(x)
    return boosted.predict(x).tobytes() + clusters.labels_.tobytes()


def lightgbm():
    import lightgbm

    how = {"objective": "regression", "deterministic": True, "force_row_wise": True, "seed": 1, "verbose": -1}
    return lightgbm.train(how, lightgbm.Dataset(x, y), 20).predict(x).tobytes()


for package in sys.argv[1:]:
    fit = {"sklearn": sklearn, "lightgbm": lightgbm}[package]
    print(package, hashlib.sha256(fit()).hexdigest())
