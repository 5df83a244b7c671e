package io.rocketbufs.livestream;

import io.rocketbufs.layers.CircleContract;

final class LivestreamCirclesTest extends CircleContract {}
