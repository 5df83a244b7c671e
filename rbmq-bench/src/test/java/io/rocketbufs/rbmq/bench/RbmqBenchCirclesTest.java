package io.rocketbufs.rbmq.bench;

import io.rocketbufs.layers.CircleContract;

final class RbmqBenchCirclesTest extends CircleContract {}
