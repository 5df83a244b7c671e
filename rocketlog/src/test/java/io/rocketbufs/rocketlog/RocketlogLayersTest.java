package io.rocketbufs.rocketlog;

import io.rocketbufs.layers.LayerContract;

final class RocketlogLayersTest extends LayerContract {}
