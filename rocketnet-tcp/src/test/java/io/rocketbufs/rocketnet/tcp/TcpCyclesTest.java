package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.layers.CycleContract;

final class TcpCyclesTest extends CycleContract {}
