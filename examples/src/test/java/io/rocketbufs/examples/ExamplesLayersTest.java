package io.rocketbufs.examples;

import io.rocketbufs.layers.LayerContract;

final class ExamplesLayersTest extends LayerContract {}
