package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Programs;

/**
 * Ways to start the parts of a benchmark. Each part is a run of this program.
 *
 * @param processes starts a part as a separate process
 * @param threads starts a part as a thread of this process
 */
record BenchPrograms(Programs processes, Programs threads) {}
