package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.layers.CircleContract;

final class RdmaCirclesTest extends CircleContract {}
