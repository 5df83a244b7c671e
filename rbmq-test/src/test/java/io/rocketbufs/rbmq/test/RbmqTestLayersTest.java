package io.rocketbufs.rbmq.test;

import io.rocketbufs.layers.LayerContract;

final class RbmqTestLayersTest extends LayerContract {}
