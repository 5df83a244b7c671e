package io.rocketbufs.layers;

import java.util.Map;

final class CoreCirclesTest extends CircleContract {
    CoreCirclesTest() {
        super(Map.of("io.rocketbufs.out", 7));
    }
}
