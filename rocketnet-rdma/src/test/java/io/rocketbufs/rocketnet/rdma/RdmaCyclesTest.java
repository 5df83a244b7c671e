package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.layers.CycleContract;

final class RdmaCyclesTest extends CycleContract {}
