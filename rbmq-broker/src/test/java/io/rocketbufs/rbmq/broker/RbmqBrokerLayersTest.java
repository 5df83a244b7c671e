package io.rocketbufs.rbmq.broker;

import io.rocketbufs.layers.LayerContract;

final class RbmqBrokerLayersTest extends LayerContract {}
