package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.bench.BenchLoad;
import java.time.Duration;

/**
 * The plan of a benchmark.
 *
 * @param load the load
 * @param warmup how long messages flow before the measurement
 * @param untilSteady true ends the warm-up earlier, as soon as the rate is steady
 * @param duration duration of the measurement
 * @param broker the broker, and the configuration of all participants
 * @param publisherTransport null = the configured one
 * @param subscriberTransport null = the configured one
 * @param oneProcess true runs the participants as threads of this process instead of separate processes
 */
record BenchPlan(
        BenchLoad load,
        Duration warmup,
        boolean untilSteady,
        Duration duration,
        BrokerOptions broker,
        String publisherTransport,
        String subscriberTransport,
        boolean oneProcess) {}
