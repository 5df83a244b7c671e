package io.rocketbufs.examples;

import io.rocketbufs.layers.CircleContract;

final class ExamplesCirclesTest extends CircleContract {}
