package io.rocketbufs.rbmq.client;

import io.rocketbufs.layers.CycleContract;

final class RbmqClientCyclesTest extends CycleContract {}
