package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.layers.LayerContract;

final class RdmaLayersTest extends LayerContract {}
