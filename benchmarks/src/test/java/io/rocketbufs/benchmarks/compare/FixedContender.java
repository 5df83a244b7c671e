package io.rocketbufs.benchmarks.compare;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** A contender with a fixed speed. */
final class FixedContender implements Contender {
    private final String name;
    private final List<Load> loads;
    private final List<String> log;
    private final ToDoubleFunction<Load> rate;

    FixedContender(String name, List<Load> loads, List<String> log, ToDoubleFunction<Load> rate) {
        this.name = name;
        this.loads = loads;
        this.log = log;
        this.rate = rate;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String version() {
        return name + " 1.0";
    }

    @Override
    public String settings() {
        return "none";
    }

    @Override
    public boolean takesPartIn(Cell cell) {
        return cell.experiment() != BrokerExperiment.TOPICS || name.equals("b");
    }

    @Override
    public long estimateMs(Cell cell, Span span, int count) {
        return count * (span.warmupMs() + span.durationMs());
    }

    @Override
    public List<Load> loads(Cell cell) {
        return loads;
    }

    @Override
    public Measurement measure(Cell cell, Load load, Span span) {
        log.add(name + " " + cell.size() + " " + load + " " + span.durationMs());
        return new Measurement(rate.applyAsDouble(load), 1, 0.5, 0.25, Latency.of(percent -> 10 * percent), 0);
    }

    @Override
    public void close() {}
}
