package io.rocketbufs.web;

import io.rocketbufs.layers.LayerContract;

final class WebLayersTest extends LayerContract {}
