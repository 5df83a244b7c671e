package io.rocketbufs.livestream;

import io.rocketbufs.layers.CircleContract;
import java.util.Map;

final class LivestreamCirclesTest extends CircleContract {
    LivestreamCirclesTest() {
        super(Map.of(
                "io.rocketbufs.livestream.cli", 7,
                "io.rocketbufs.livestream.edge", 5));
    }
}
