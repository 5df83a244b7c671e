package io.rocketbufs.cli;

import io.rocketbufs.layers.CycleContract;

final class CliCyclesTest extends CycleContract {}
