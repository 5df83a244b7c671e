package io.rocketbufs.rbmq.cli;

import io.rocketbufs.layers.CycleContract;

final class RbmqCyclesTest extends CycleContract {}
