package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Programs;

/**
 * Ways to start the participants of a benchmark. Each participant is a run of this program.
 *
 * @param processes starts a participant as a separate process
 * @param threads starts a participant as a thread of this process
 */
record BenchPrograms(Programs processes, Programs threads) {}
