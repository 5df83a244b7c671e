package io.rocketbufs.rbmq.client;

import io.rocketbufs.layers.LayerContract;

final class RbmqClientLayersTest extends LayerContract {}
