package io.rocketbufs.layers;

final class CoreCyclesTest extends CycleContract {}
