package io.rocketbufs.livestream;

import io.rocketbufs.layers.LayerContract;

final class LivestreamLayersTest extends LayerContract {}
