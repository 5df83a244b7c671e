package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.layers.CircleContract;
import java.util.Map;

final class TcpCirclesTest extends CircleContract {
    TcpCirclesTest() {
        super(Map.of("io.rocketbufs.rocketnet.tcp", 11));
    }
}
