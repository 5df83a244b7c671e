package io.rocketbufs.benchmarks.compare;

/**
 * One measurement in its place.
 *
 * @param contender whose
 * @param cell of which experiment
 * @param repetition from 0 on; those of the same number are neighbours
 * @param load how it was loaded
 * @param measurement what was found
 * @param foreignCores processors that others kept busy meanwhile
 */
record Run(String contender, Cell cell, int repetition, Load load, Measurement measurement, double foreignCores) {}
