package io.rocketbufs.rbmq.cli;

import io.rocketbufs.layers.LayerContract;

final class RbmqLayersTest extends LayerContract {}
