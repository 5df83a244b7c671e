package io.rocketbufs.rbmq.bench;

import io.rocketbufs.layers.CycleContract;

final class RbmqBenchCyclesTest extends CycleContract {}
