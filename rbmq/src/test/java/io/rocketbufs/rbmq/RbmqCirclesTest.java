package io.rocketbufs.rbmq;

import io.rocketbufs.layers.CircleContract;
import java.util.Map;

final class RbmqCirclesTest extends CircleContract {
    RbmqCirclesTest() {
        super(Map.of(
                "io.rocketbufs.rbmq", 6,
                "io.rocketbufs.rbmq.broker", 8,
                "io.rocketbufs.rbmq.cli", 22));
    }
}
