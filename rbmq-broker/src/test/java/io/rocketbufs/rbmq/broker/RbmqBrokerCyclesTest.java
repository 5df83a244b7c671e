package io.rocketbufs.rbmq.broker;

import io.rocketbufs.layers.CycleContract;

final class RbmqBrokerCyclesTest extends CycleContract {}
