import numpy
from sklearn.ensemble import HistGradientBoostingClassifier

def data(rows):
    random = numpy.random.default_rng(1)
    x = random.random((rows, 20))
    return x, x.sum(axis=1) > 10

def fit(x, y):
    return HistGradientBoostingClassifier(max_iter=5).fit(x, y)

x, y = data(5000)
print(round(fit(x, y).score(x, y), 2))
