package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Programs;

/**
 * How the parts of a benchmark are started: each is a run of this program.
 *
 * @param processes as processes of their own
 * @param threads as threads of this process
 */
record BenchPrograms(Programs processes, Programs threads) {}
