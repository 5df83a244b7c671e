package io.rocketbufs.benchmarks;

import io.rocketbufs.layers.CircleContract;

final class BenchmarksCirclesTest extends CircleContract {}
