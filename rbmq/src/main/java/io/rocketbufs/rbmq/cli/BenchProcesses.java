package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.AutomaticTransports;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.ChildProgram;
import io.rocketbufs.cli.Ports;
import io.rocketbufs.cli.Programs;
import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.bench.CpuTimes;
import io.rocketbufs.rbmq.bench.RoleProcesses;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import io.rocketbufs.rbmq.client.ClientSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The processes of a benchmark: publishers, subscribers and, unless an existing broker is used, a broker. The
 * publishers share a few processes, as do the subscribers; see {@link RoleProcesses}.
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> ends all processes that it has started.
 */
final class BenchProcesses implements AutoCloseable {
    /** Time limit for the start, many times the duration of a cold start on a busy machine. */
    static final int START_LIMIT_S = 60;

    private final BenchPlan plan;
    private final Programs programs;
    private final BenchResult.Transports transports;
    /** The broker's listeners; null if the broker is not one of these processes. */
    private final BenchListeners listeners;
    /**
     * The configured token for the client processes; null if none is configured. Stored because it may have been read
     * from a pipe.
     */
    private final BenchToken token;

    private final List<String> topics = new ArrayList<>();
    private final List<ChildProgram> publishers = new ArrayList<>();
    private final List<ChildProgram> subscribers = new ArrayList<>();
    private BenchLoad load;
    /** A latch that is released when the broker or a process of the current load ends. */
    private volatile CountDownLatch ended = new CountDownLatch(1);

    private ChildProgram broker;
    private String publisherAddress;
    private String subscriberAddress;

    BenchProcesses(BenchPlan plan, Programs programs) {
        this.plan = plan;
        this.load = plan.load();
        this.programs = programs;
        boolean withBroker = plan.broker().broker == null;
        Config loaded = plan.broker()
                .config
                .load(
                        withBroker ? BrokerSettings::from : config -> {},
                        ClientSettings::publisher,
                        ClientSettings::subscriber,
                        RocketBufs::check);
        ClientSettings publisher = ClientSettings.publisher(loaded);
        // A benchmark measures one transport, so automatic selection is replaced by its first choice.
        AutomaticTransports automatic = new AutomaticTransports(loaded);
        transports = new BenchResult.Transports(
                automatic.resolve(Objects.requireNonNullElse(plan.publisherTransport(), publisher.transport())),
                automatic.resolve(Objects.requireNonNullElse(
                        plan.subscriberTransport(),
                        ClientSettings.subscriber(loaded).transport())));
        listeners = withBroker ? new BenchListeners(loaded, transports) : null;
        boolean isConfigured = !publisher.token().isEmpty() && (listeners == null || listeners.token() == null);
        token = isConfigured ? new BenchToken(publisher.token()) : null;
        for (int i = 0; i < plan.load().topicCount(); i++) {
            topics.add("bench-" + ProcessHandle.current().pid() + "-" + i);
        }
    }

    BenchResult.Transports transports() {
        return transports;
    }

    List<ChildProgram> publishers() {
        return publishers;
    }

    List<ChildProgram> subscribers() {
        return subscribers;
    }

    /** Starts a broker and waits until it is ready, unless a broker was specified. */
    void startBroker(Duration limit) throws InterruptedException {
        if (plan.broker().broker != null) {
            publisherAddress = plan.broker().address();
            subscriberAddress = publisherAddress;
            return;
        }
        List<String> arguments = new ArrayList<>(List.of("broker", "--end-with-stdin", "--log-level", "warn"));
        arguments.addAll(List.of("--set", "rbmq.admin.port=0", "--set", "rbmq.port=0"));
        // A subscriber may be slow to subscribe to a new publisher while the machine is busy starting all processes.
        arguments.addAll(List.of("--set", "rbmq.broker.join-timeout=" + START_LIMIT_S + "s"));
        arguments.addAll(plan.broker().config.toArguments());
        arguments.addAll(listeners.brokerArguments());
        broker = ChildProgram.start(programs, "broker", arguments, () -> ended.countDown());
        Ports ports = Ports.parse(broker.await(Ports.READY, limit));
        publisherAddress = listeners.publisherAddress(ports);
        subscriberAddress = listeners.subscriberAddress(ports);
    }

    /** Starts all subscriber processes without waiting for them. */
    void startSubscribers() {
        int count = load.subscriberCount();
        for (int first = 0, i = 0; first < count; i++) {
            int members = RoleProcesses.share(count, i);
            List<String> arguments = role("subscriber", members, subscriberAddress, transports.subscriber());
            topics.forEach(topic -> arguments.addAll(List.of("--topic", topic)));
            subscribers.add(start("subscriber-" + i, arguments));
            first += members;
        }
    }

    /** Starts all publisher processes without waiting for them. */
    void startPublishers() {
        int count = load.publisherCount();
        for (int first = 0, i = 0; first < count; i++) {
            int members = RoleProcesses.share(count, i);
            List<String> arguments = role("publisher", members, publisherAddress, transports.publisher());
            int firstStream = load.firstStream(first);
            for (int stream = firstStream; stream < load.firstStream(first + members); stream++) {
                arguments.addAll(List.of("--topic", topics.get(stream % topics.size())));
            }
            arguments.addAll(List.of("--number", "" + firstStream));
            arguments.addAll(List.of("--size", "" + load.length(), "--rate", "" + load.rate()));
            arguments.addAll(List.of("--batch", "" + load.batch()));
            if (load.stampAll()) {
                arguments.add("--stamp-all");
            }
            publishers.add(start("publisher-" + i, arguments));
            first += members;
        }
    }

    /** Ends the publishers and subscribers so that those of another load can be started. */
    void replaceClients(BenchLoad next) {
        // The planned end of these processes must not end the next measurement.
        ended = new CountDownLatch(1);
        Stream.concat(publishers.stream(), subscribers.stream()).forEach(ChildProgram::close);
        publishers.clear();
        subscribers.clear();
        load = next;
    }

    /** Waits until a process has ended or the given time has passed. Returns true if a process has ended. */
    boolean await(long timeNs) throws InterruptedException {
        return ended.await(timeNs, TimeUnit.NANOSECONDS);
    }

    CpuTimes cpuTimes() {
        return new CpuTimes(broker == null ? Double.NaN : broker.cpuSeconds(), cpu(publishers), cpu(subscribers));
    }

    /** Returns a human-readable description of a plan's participants. */
    static String describe(BenchPlan plan) {
        boolean withBroker = plan.broker().broker == null;
        int publishers = plan.load().publisherCount();
        int subscribers = plan.load().subscriberCount();
        int processes = (withBroker ? 1 : 0) + RoleProcesses.count(publishers) + RoleProcesses.count(subscribers);
        return (withBroker ? "a broker, " : "") + counted(publishers, "publisher") + " and "
                + counted(subscribers, "subscriber") + " as "
                + (plan.oneProcess() ? "threads" : counted(processes, "process"));
    }

    /** Ends all processes, the broker last, so that no client reports a lost connection. */
    @Override
    public void close() {
        Stream.of(publishers.stream(), subscribers.stream(), Optional.ofNullable(broker).stream())
                .flatMap(children -> children)
                .forEach(ChildProgram::close);
        if (token != null) {
            token.close();
        }
        if (listeners != null) {
            listeners.close();
        }
    }

    private List<String> role(String role, int members, String address, String transport) {
        List<String> arguments = new ArrayList<>(List.of("bench", role, "--controlled", "--members", "" + members));
        arguments.addAll(plan.broker().config.toArguments());
        arguments.addAll(List.of("--broker", address, "--set", "rbmq." + role + ".transport=" + transport));
        BenchToken presented = token == null && listeners != null ? listeners.token() : token;
        if (presented != null) {
            arguments.addAll(presented.toArguments());
        }
        return arguments;
    }

    private ChildProgram start(String name, List<String> arguments) {
        CountDownLatch current = ended;
        return ChildProgram.start(programs, name, arguments, current::countDown);
    }

    private static double cpu(List<ChildProgram> role) {
        return role.stream().mapToDouble(ChildProgram::cpuSeconds).sum();
    }

    private static String counted(int count, String what) {
        return count + " " + what + (count == 1 ? "" : what.endsWith("s") ? "es" : "s");
    }
}
