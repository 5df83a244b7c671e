package io.rocketbufs.cli;

import io.rocketbufs.layers.CircleContract;

final class CliCirclesTest extends CircleContract {}
