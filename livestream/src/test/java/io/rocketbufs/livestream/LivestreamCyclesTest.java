package io.rocketbufs.livestream;

import io.rocketbufs.layers.CycleContract;

final class LivestreamCyclesTest extends CycleContract {}
