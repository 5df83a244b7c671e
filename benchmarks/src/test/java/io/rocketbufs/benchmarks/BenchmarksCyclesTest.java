package io.rocketbufs.benchmarks;

import io.rocketbufs.layers.CycleContract;

final class BenchmarksCyclesTest extends CycleContract {}
