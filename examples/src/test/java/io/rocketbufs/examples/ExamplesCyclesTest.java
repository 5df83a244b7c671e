package io.rocketbufs.examples;

import io.rocketbufs.layers.CycleContract;

final class ExamplesCyclesTest extends CycleContract {}
