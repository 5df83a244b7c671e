package io.rocketbufs.rbmq.cli;

import io.rocketbufs.layers.CircleContract;

final class RbmqCirclesTest extends CircleContract {}
