package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.bench.BenchLoad;
import java.time.Duration;

/**
 * The plan of a benchmark.
 *
 * @param load the load
 * @param warmup time for which messages flow before the measurement
 * @param untilSteady true ends the warm-up as soon as the rate is steady
 * @param duration duration of the measurement
 * @param broker the broker's address and the configuration of all participants
 * @param publisherTransport transport of the publishers; null for the configured transport
 * @param subscriberTransport transport of the subscribers; null for the configured transport
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
