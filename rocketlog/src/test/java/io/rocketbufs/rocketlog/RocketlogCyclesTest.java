package io.rocketbufs.rocketlog;

import io.rocketbufs.layers.CycleContract;

final class RocketlogCyclesTest extends CycleContract {}
