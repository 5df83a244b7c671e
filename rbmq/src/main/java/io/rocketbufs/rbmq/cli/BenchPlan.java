package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.bench.BenchLoad;
import java.time.Duration;

/**
 * A benchmark to be carried out.
 *
 * @param load what flows
 * @param warmup how long it flows before rates are taken
 * @param duration how long it is measured
 * @param broker which one, and the configuration of all that take part
 * @param publisherTransport null = the configured one
 * @param subscriberTransport null = the configured one
 * @param oneProcess whether the parts are threads of this process, not processes
 */
record BenchPlan(
        BenchLoad load,
        Duration warmup,
        Duration duration,
        BrokerOptions broker,
        String publisherTransport,
        String subscriberTransport,
        boolean oneProcess) {}
