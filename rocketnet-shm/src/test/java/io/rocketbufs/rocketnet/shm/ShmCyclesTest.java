package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.layers.CycleContract;

final class ShmCyclesTest extends CycleContract {}
