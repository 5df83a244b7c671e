package io.rocketbufs.rbmq.broker;

import io.rocketbufs.layers.CircleContract;

final class RbmqBrokerCirclesTest extends CircleContract {}
