package io.rocketbufs.cli;

import io.rocketbufs.layers.LayerContract;

final class CliLayersTest extends LayerContract {}
