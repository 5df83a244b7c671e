package io.rocketbufs.rbmq.client;

import io.rocketbufs.layers.CircleContract;

final class RbmqClientCirclesTest extends CircleContract {}
