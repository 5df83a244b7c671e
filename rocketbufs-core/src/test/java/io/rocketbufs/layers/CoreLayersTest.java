package io.rocketbufs.layers;

final class CoreLayersTest extends LayerContract {}
