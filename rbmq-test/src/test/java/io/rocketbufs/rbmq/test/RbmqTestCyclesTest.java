package io.rocketbufs.rbmq.test;

import io.rocketbufs.layers.CycleContract;

final class RbmqTestCyclesTest extends CycleContract {}
