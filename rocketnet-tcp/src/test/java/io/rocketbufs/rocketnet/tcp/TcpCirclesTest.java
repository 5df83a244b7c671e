package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.layers.CircleContract;

final class TcpCirclesTest extends CircleContract {}
