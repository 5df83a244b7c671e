package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.layers.CircleContract;
import java.util.Map;

final class RdmaCirclesTest extends CircleContract {
    RdmaCirclesTest() {
        super(Map.of("io.rocketbufs.rocketnet.rdma", 14));
    }
}
