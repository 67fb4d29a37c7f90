"""A training of scikit-learn's, whose wheel brings an OpenMP runtime along: prints its wall-clock and CPU time, in ns."""
import sys
import time

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier

chance = numpy.random.default_rng(7)
points = chance.normal(size=(20_000, 20))
labels = (points[:, :5].sum(axis=1) + chance.normal(size=20_000) > 0).astype(int)

wall, cpu = time.perf_counter_ns(), time.process_time_ns()
HistGradientBoostingClassifier(max_iter=int(sys.argv[1]), early_stopping=False).fit(points, labels)
print(time.perf_counter_ns() - wall, time.process_time_ns() - cpu)
