package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.bench.BenchRole;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A controller that starts and ends a role's measurement, either at fixed times or on a coordinator's commands. The
 * commands arrive as lines on standard input:
 *
 * <pre>
 *   begin         begins or restarts the measurement
 *   progress      replies `progress N`, the number of messages so far
 *   end           ends the measurement
 *   stop [N]      ends the role; a subscriber first waits for N messages in total
 * </pre>
 *
 * <p>The end of standard input also stops the role, so that the role does not outlive its coordinator.
 *
 * <p><b>Thread-safety:</b> one thread runs the controller; any thread may stop it.
 */
final class RoleController {
    static final String BEGIN = "begin";
    static final String PROGRESS = "progress";
    static final String END = "end";
    static final String STOP = "stop";

    private static final long POLL_MS = 10;

    private final BlockingQueue<String> orders = new LinkedBlockingQueue<>();
    private final Streams streams;

    RoleController(Streams streams) {
        this.streams = streams;
    }

    /** Ends the run early. */
    void stop() {
        orders.add(STOP);
    }

    /**
     * Waits until messages flow and for the duration of the warm-up, and then measures.
     *
     * @param duration duration of the measurement; null to measure until stopped
     */
    void runByClock(BenchRole role, Duration warmup, Duration duration) throws InterruptedException {
        boolean stopped = false;
        while (!stopped && !role.hasStarted()) {
            stopped = isStoppedWithin(Duration.ofMillis(POLL_MS));
        }
        if (stopped || isStoppedWithin(warmup)) {
            return;
        }
        role.begin();
        if (duration == null) {
            orders.take();
        } else {
            isStoppedWithin(duration);
        }
        role.end();
    }

    /** Executes commands until {@code stop}. Returns the argument of the {@code stop} command. */
    String runByOrders(BenchRole role) throws InterruptedException {
        Thread reader = new Thread(this::readOrders, "rbmq-orders");
        reader.setDaemon(true);
        reader.start();
        while (true) {
            String order = orders.take();
            if (order.startsWith(STOP)) {
                return order.substring(STOP.length()).strip();
            }
            execute(role, order);
        }
    }

    private void execute(BenchRole role, String order) {
        switch (order) {
            case BEGIN -> role.begin();
            case END -> role.end();
            case PROGRESS -> streams.tell(PROGRESS + " " + role.count());
            default -> throw new IllegalArgumentException("order=" + order);
        }
    }

    private boolean isStoppedWithin(Duration time) throws InterruptedException {
        return orders.poll(time.toNanos(), TimeUnit.NANOSECONDS) != null;
    }

    private void readOrders() {
        try {
            BufferedReader reader = new BufferedReader(new InputStreamReader(streams.in(), StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                orders.add(line);
            }
        } catch (IOException e) {
            // The coordinator has ended. This is handled like the end of the stream.
        }
        orders.add(STOP);
    }
}
