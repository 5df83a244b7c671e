package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.ChildProgram;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries out one benchmark: starts what takes part, lets it warm up, measures, stops it, and adds up what each says.
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> ends all that it has started.
 */
final class BenchRun implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(BenchCrew.START_LIMIT_S);

    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
    /** Longer than a publisher waits for its broker. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(90);

    private static final long SECOND_NS = 1_000_000_000;
    private static final String RESULT = "{";

    private final BenchPlan plan;
    private final BenchCrew crew;
    private final Progress progress;

    BenchRun(BenchPlan plan, Progress progress) {
        this.plan = plan;
        this.crew = new BenchCrew(plan);
        this.progress = progress;
    }

    /** Carries a plan out and shows the result; a signal ends everything that was started. */
    static BenchResult measure(BenchPlan plan, boolean json, Streams streams) throws InterruptedException {
        Thread main = Thread.currentThread();
        Termination termination = Termination.stopsBy(main::interrupt);
        try (termination;
                BenchRun run = new BenchRun(plan, new Progress(streams))) {
            streams.say("starting " + BenchCrew.describe(plan));
            BenchResult result = run.run();
            streams.out().print(json ? Json.of(result.asMap()) + "\n" : result.asText());
            streams.out().flush();
            return result;
        }
    }

    /**
     * From the start to the result. While it is measured nobody is asked anything, unless somebody watches: that takes
     * processors away.
     */
    BenchResult run() throws InterruptedException {
        crew.startBroker(START_LIMIT);
        crew.startSubscribers();
        awaitAll(crew.subscribers(), "subscribed", START_LIMIT);
        crew.startPublishers();
        awaitAll(crew.publishers(), "publishing", START_LIMIT);
        progress.begins("warming up", plan.warmup());
        watch(plan.warmup(), this::rehearse);
        progress.begins("measuring", plan.duration());
        final long beginMs = System.currentTimeMillis();
        final CpuTimes cpuAtBegin = crew.cpuTimes();
        orderAll(Conductor.BEGIN);
        watch(plan.duration(), progress.isWatched() ? this::look : () -> {});
        orderAll(Conductor.END);
        final CpuTimes cpu = crew.cpuTimes().minus(cpuAtBegin);
        final long endMs = System.currentTimeMillis();
        progress.ends();
        return BenchResult.of(plan.load(), stop(), cpu, crew.transports(), new BenchResult.Span(beginMs, endMs));
    }

    @Override
    public void close() {
        progress.ends();
        crew.close();
    }

    /** Lets time pass, unless somebody ends, and does something every second. */
    private void watch(Duration time, Look everySecond) throws InterruptedException {
        long endNs = System.nanoTime() + time.toNanos();
        long leftNs = time.toNanos();
        while (leftNs > 0 && !crew.await(Math.min(SECOND_NS, leftNs))) {
            everySecond.run();
            leftNs = endNs - System.nanoTime();
        }
    }

    /** What is done every second. */
    private interface Look {
        void run() throws InterruptedException;
    }

    /** Shows how all are doing. */
    private void look() throws InterruptedException {
        progress.at(System.nanoTime(), count(crew.publishers()), count(crew.subscribers()));
    }

    /**
     * Begins the measurement for practice: what runs for the first time when it begins is loaded, interpreted and
     * compiled while it is measured, for tens of milliseconds.
     */
    private void rehearse() throws InterruptedException {
        look();
        orderAll(Conductor.BEGIN);
    }

    private static long count(List<ChildProgram> role) throws InterruptedException {
        long count = 0;
        role.forEach(child -> child.order(Conductor.PROGRESS));
        for (ChildProgram child : role) {
            String answer = child.await(Conductor.PROGRESS, ANSWER_LIMIT);
            count += Long.parseLong(answer.substring(Conductor.PROGRESS.length() + 1));
        }
        return count;
    }

    private void orderAll(String order) {
        crew.publishers().forEach(child -> child.order(order));
        crew.subscribers().forEach(child -> child.order(order));
    }

    private static void awaitAll(List<ChildProgram> role, String line, Duration limit) throws InterruptedException {
        for (ChildProgram child : role) {
            child.await(line, limit);
        }
    }

    /** Publishers first; subscribers are told how much is to be expected. */
    private BenchReports stop() throws InterruptedException {
        BenchReports sent = new BenchReports(stop(crew.publishers(), Conductor.STOP), List.of());
        return new BenchReports(sent.publishers(), stop(crew.subscribers(), Conductor.STOP + " " + sent.sent()));
    }

    private static List<Config> stop(List<ChildProgram> role, String order) throws InterruptedException {
        List<Config> results = new ArrayList<>();
        role.forEach(child -> child.order(order));
        for (ChildProgram child : role) {
            results.add(Json.parse(child.await(RESULT, STOP_LIMIT)));
        }
        return results;
    }
}
