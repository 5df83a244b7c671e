package io.rocketbufs.benchmarks.compare;

/**
 * One valid measurement with its context.
 *
 * @param contender the contender
 * @param cell the cell
 * @param repetition number of the repetition, starting at 0; runs with the same number are neighbours
 * @param load the load
 * @param measurement the result
 * @param foreignCores number of processors that other processes kept busy during the measurement
 */
public record Run(
        String contender, Cell cell, int repetition, Load load, Measurement measurement, double foreignCores) {}
