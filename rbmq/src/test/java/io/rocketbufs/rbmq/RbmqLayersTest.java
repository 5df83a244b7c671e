package io.rocketbufs.rbmq;

import io.rocketbufs.layers.LayerContract;

final class RbmqLayersTest extends LayerContract {}
