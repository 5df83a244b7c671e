package io.rocketbufs.rbmq.bench;

import io.rocketbufs.layers.LayerContract;

final class RbmqBenchLayersTest extends LayerContract {}
