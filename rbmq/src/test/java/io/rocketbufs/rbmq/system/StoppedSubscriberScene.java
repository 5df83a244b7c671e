package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.LoggedLines;
import io.rocketbufs.rbmq.TransportPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A broker, a publisher, the process of a subscriber that a test stops with SIGSTOP, and another subscriber. */
final class StoppedSubscriberScene implements AutoCloseable {
    /** Several times the number of messages that all buffers between publisher and subscriber can hold. */
    static final long MANY = 5_000;

    static final Duration LIMIT = Duration.ofSeconds(150);

    private static final int LENGTH = 1000;
    /** Messages per second, a rate that fills all buffers within a fraction of a second. */
    private static final int RATE = 20_000;

    private static final String CAPACITY = ".capacity=256 KiB";
    private static final long STANDSTILL_NS = 500_000_000;

    final RbmqProcess stopped;
    final RbmqProcess other;
    final RbmqProcess publisher;
    private final LoggedLines log = new LoggedLines();
    private final LocalBroker broker;
    private final List<RbmqProcess> processes = new ArrayList<>();

    StoppedSubscriberScene(TransportPair pair, String policy, String othersPolicy, String... settings)
            throws Exception {
        List<String> brokerSettings = new ArrayList<>(List.of(settings));
        brokerSettings.add("rocketbufs.tcp.send-buffer=64 KiB");
        brokerSettings.add("rbmq.broker" + CAPACITY);
        // The heartbeat timeout is long, so that the subscriber is not disconnected before the policy applies.
        brokerSettings.add("rocketbufs.heartbeat-timeout=5 m");
        broker = LocalBroker.start(pair, brokerSettings.toArray(String[]::new));
        stopped = add(broker.subscriber(role("subscriber", "--set", "rbmq.subscriber.slow-policy=" + policy)));
        other = add(broker.localSubscriber(role("subscriber", "--set", "rbmq.subscriber.slow-policy=" + othersPolicy)));
        stopped.awaitOut("subscribed");
        other.awaitOut("subscribed");
        publisher = add(broker.localPublisher(role("publisher", "--size", "" + LENGTH, "--rate", "" + RATE)));
        publisher.awaitOut("publishing");
        awaitCount(stopped, 1000);
        awaitCount(other, 1000);
    }

    private String[] role(String role, String... more) {
        List<String> arguments = new ArrayList<>(List.of("bench", role, "--controlled", "--topic", "stopped"));
        arguments.addAll(List.of("--set", "rbmq." + role + CAPACITY));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private RbmqProcess add(RbmqProcess command) {
        processes.add(command);
        return command;
    }

    /** Returns true if a line of the broker's log contains the subscriber's name and the given text. */
    boolean names(RbmqProcess subscriber, String text) {
        String name = "/rbmq[" + subscriber.pid() + "]\"";
        return log.with(text).stream().anyMatch(line -> line.contains(name));
    }

    /** Returns the number of messages sent or received so far. */
    long count(RbmqProcess role) throws Exception {
        int answers = answers(role).size();
        role.type("progress\n");
        await().atMost(LIMIT).until(() -> answers(role).size() > answers);
        return answers(role).get(answers);
    }

    void awaitCount(RbmqProcess role, long count) throws Exception {
        await().atMost(LIMIT).until(() -> count(role) >= count);
    }

    /** Waits until the count no longer changes. */
    long awaitStandstill(RbmqProcess role) throws Exception {
        long[] last = {count(role), System.nanoTime()};
        await().atMost(LIMIT).until(() -> {
            long count = count(role);
            if (count != last[0]) {
                last[0] = count;
                last[1] = System.nanoTime();
            }
            return System.nanoTime() - last[1] > STANDSTILL_NS;
        });
        return last[0];
    }

    void stopPublisher() throws Exception {
        publisher.type("stop\n");
        assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
    }

    /** Ends a subscriber and checks that it has received all messages, including the last one. */
    void finishWhole(RbmqProcess subscriber) throws Exception {
        assertThat(finish(subscriber))
                .contains("\"received\":" + sent(), "\"lost\":0", "\"duplicated\":0", "\"corrupted\":0");
    }

    private long sent() {
        return Long.parseLong(publisher.lastLine().replaceAll(".*\"sent\":([0-9]+).*", "$1"));
    }

    String finish(RbmqProcess subscriber) throws Exception {
        subscriber.type("stop " + sent() + "\n");
        subscriber.exitCode();
        return subscriber.lastLine();
    }

    @Override
    public void close() {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).close();
        }
        broker.close();
        log.close();
    }

    private static List<Long> answers(RbmqProcess role) {
        return role.outText()
                .lines()
                .filter(line -> line.startsWith("progress "))
                .map(line -> Long.valueOf(line.substring("progress ".length())))
                .toList();
    }
}
