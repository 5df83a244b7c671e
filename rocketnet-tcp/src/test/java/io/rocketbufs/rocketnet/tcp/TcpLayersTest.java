package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.layers.LayerContract;

final class TcpLayersTest extends LayerContract {}
