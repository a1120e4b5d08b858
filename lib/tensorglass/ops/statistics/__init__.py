"""Statistics and distances: quantiles, histograms, covariance, cdist."""
