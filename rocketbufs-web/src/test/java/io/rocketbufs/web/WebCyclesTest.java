package io.rocketbufs.web;

import io.rocketbufs.layers.CycleContract;

final class WebCyclesTest extends CycleContract {}
