package io.rocketbufs.web;

import io.rocketbufs.layers.CircleContract;

final class WebCirclesTest extends CircleContract {}
