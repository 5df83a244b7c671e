package io.rocketbufs.rbmq;

import io.rocketbufs.layers.CircleContract;

final class RbmqCirclesTest extends CircleContract {}
