package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.layers.LayerContract;

final class ShmLayersTest extends LayerContract {}
