package io.rocketbufs.benchmarks.compare;

import java.util.List;

/**
 * The measurements of a comparison, and their durations.
 *
 * @param cells the cells, in the order of measurement
 * @param span duration of a measurement
 * @param trial duration of the trial run with each load
 * @param repetitions number of times that each measurement is repeated
 */
public record Plan(List<Cell> cells, Span span, Span trial, int repetitions) {}
