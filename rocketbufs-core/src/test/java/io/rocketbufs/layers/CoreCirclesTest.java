package io.rocketbufs.layers;

final class CoreCirclesTest extends CircleContract {}
