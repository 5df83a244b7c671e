package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.ChildProgram;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.bench.CpuTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One run of a benchmark. It starts the processes, warms them up, measures, stops them, and combines their reports.
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> ends all processes that it has started.
 */
final class BenchRun implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(BenchProcesses.START_LIMIT_S);

    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
    /** Time limit for stopping the processes, longer than the time that a publisher waits for the broker. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(90);

    private static final long SECOND_NS = 1_000_000_000;
    private static final String RESULT = "{";

    private final BenchPlan plan;
    private final BenchProcesses processes;
    private final BenchProgress progress;
    private SteadyRate rate = new SteadyRate();

    BenchRun(BenchPlan plan, BenchPrograms programs, BenchProgress progress) {
        this.plan = plan;
        this.processes = new BenchProcesses(plan, plan.oneProcess() ? programs.threads() : programs.processes());
        this.progress = progress;
    }

    /** Executes a plan and shows the result. A signal ends all processes that were started. */
    static BenchResult measure(BenchPlan plan, BenchPrograms programs, boolean json, Streams streams)
            throws InterruptedException {
        return with(plan, programs, streams, run -> {
            BenchResult result = run.run();
            streams.out().print(json ? Json.of(result.asMap()) + "\n" : result.asText());
            streams.out().flush();
            return result;
        });
    }

    /** Executes a task with a run. A signal ends all processes that were started. */
    static <T> T with(BenchPlan plan, BenchPrograms programs, Streams streams, Task<T> task)
            throws InterruptedException {
        Thread main = Thread.currentThread();
        Termination termination = Termination.stopsBy(main::interrupt);
        try (termination;
                BenchRun run = new BenchRun(plan, programs, new BenchProgress(streams))) {
            streams.say("starting " + BenchProcesses.describe(plan));
            return task.execute(run);
        }
    }

    /** A task that uses a run. */
    interface Task<T> {
        T execute(BenchRun run) throws InterruptedException;
    }

    /**
     * Runs the whole benchmark and returns the result. During the measurement, the progress of the processes is
     * requested only if standard error is a terminal, because these requests take processor time.
     */
    BenchResult run() throws InterruptedException {
        processes.startBroker(START_LIMIT);
        return measure(plan.load(), plan.duration());
    }

    /**
     * Measures another load with the same broker, which is already warmed up.
     *
     * @param load the load; must have the same number of topics as the previous load
     */
    BenchResult runAgain(BenchLoad load, Duration duration) throws InterruptedException {
        processes.replaceClients(load);
        progress.restart();
        rate = new SteadyRate();
        return measure(load, duration);
    }

    private BenchResult measure(BenchLoad load, Duration duration) throws InterruptedException {
        processes.startSubscribers();
        awaitAll(processes.subscribers(), "subscribed", START_LIMIT);
        processes.startPublishers();
        awaitAll(processes.publishers(), "publishing", START_LIMIT);
        progress.begins("warming up", plan.warmup(), plan.untilSteady());
        watch(plan.warmup(), this::lookAndBegin);
        progress.begins("measuring", duration, false);
        final long beginMs = System.currentTimeMillis();
        final CpuTimes cpuAtBegin = processes.cpuTimes();
        orderAll(RoleController.BEGIN);
        watch(duration, progress.isWatched() ? this::lookOnly : () -> true);
        orderAll(RoleController.END);
        final CpuTimes cpu = processes.cpuTimes().minus(cpuAtBegin);
        final long endMs = System.currentTimeMillis();
        progress.ends();
        return stop().result(load, cpu, processes.transports(), new BenchResult.Span(beginMs, endMs));
    }

    @Override
    public void close() {
        progress.ends();
        processes.close();
    }

    /** Performs an action every second until the given time has passed, a process ends, or the action returns false. */
    private void watch(Duration time, Look everySecond) throws InterruptedException {
        long endNs = System.nanoTime() + time.toNanos();
        long leftNs = time.toNanos();
        boolean goesOn = true;
        while (goesOn && leftNs > 0 && !processes.await(Math.min(SECOND_NS, leftNs))) {
            goesOn = everySecond.goesOn();
            leftNs = endNs - System.nanoTime();
        }
    }

    /** An action that is performed every second. */
    private interface Look {
        boolean goesOn() throws InterruptedException;
    }

    /** Shows the progress of all processes. Returns false once the warm-up may end. */
    private boolean look() throws InterruptedException {
        long delivered = count(processes.subscribers());
        long nowNs = System.nanoTime();
        progress.at(nowNs, count(processes.publishers()), delivered);
        return !plan.untilSteady() || !rate.add(nowNs, delivered);
    }

    private boolean lookOnly() throws InterruptedException {
        look();
        return true;
    }

    /**
     * Shows the progress and starts a measurement during the warm-up. Otherwise, the code that starts a measurement
     * would be loaded, interpreted and compiled during the actual measurement, which would take tens of milliseconds.
     */
    private boolean lookAndBegin() throws InterruptedException {
        boolean goesOn = look();
        orderAll(RoleController.BEGIN);
        return goesOn;
    }

    private static long count(List<ChildProgram> role) throws InterruptedException {
        long count = 0;
        role.forEach(child -> child.order(RoleController.PROGRESS));
        for (ChildProgram child : role) {
            String answer = child.await(RoleController.PROGRESS, ANSWER_LIMIT);
            count += Long.parseLong(answer.substring(RoleController.PROGRESS.length() + 1));
        }
        return count;
    }

    private void orderAll(String order) {
        processes.publishers().forEach(child -> child.order(order));
        processes.subscribers().forEach(child -> child.order(order));
    }

    private static void awaitAll(List<ChildProgram> role, String line, Duration limit) throws InterruptedException {
        for (ChildProgram child : role) {
            child.await(line, limit);
        }
    }

    /** Stops the publishers first and then the subscribers. Tells each subscriber how many messages to expect. */
    private BenchReports stop() throws InterruptedException {
        BenchReports sent = new BenchReports(stop(processes.publishers(), RoleController.STOP), List.of());
        return new BenchReports(
                sent.publishers(), stop(processes.subscribers(), RoleController.STOP + " " + sent.sent()));
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
