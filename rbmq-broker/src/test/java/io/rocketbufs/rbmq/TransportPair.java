package io.rocketbufs.rbmq;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.process.LastingPort;
import io.rocketbufs.rocketnet.TransportException;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The transports of publishers and subscribers in a test. RDMA uses libfabric's tcp provider. */
public enum TransportPair {
    /** Both over TCP. */
    TCP_TCP("tcp", "tcp"),
    /** Publishers over TCP, subscribers over RDMA. */
    TCP_RDMA("tcp", "rdma"),
    /** Publishers over RDMA, subscribers over TCP. */
    RDMA_TCP("rdma", "tcp"),
    /** Both over RDMA. */
    RDMA_RDMA("rdma", "rdma"),
    /** Both through shared memory. */
    SHM_SHM("shm", "shm"),
    /** Publishers through shared memory, subscribers over RDMA. */
    SHM_RDMA("shm", "rdma"),
    /** Publishers through shared memory, subscribers over TCP. */
    SHM_TCP("shm", "tcp"),
    /** Publishers over TCP, subscribers through shared memory. */
    TCP_SHM("tcp", "shm");

    private static final String PROVIDER = "rocketbufs.rdma.provider=tcp";
    private static final String LISTENERS = "rbmq.listeners=[{transport=%s,port=%s},{transport=%s,port=%s}]";

    private final String publisher;
    private final String subscriber;

    TransportPair(String publisher, String subscriber) {
        this.publisher = publisher;
        this.subscriber = subscriber;
    }

    /** Returns the {@link #tested} pairs that this JVM tests: see {@link #selected}. */
    public static Stream<TransportPair> all() {
        return selected(tested(), TransportPair::isMixed);
    }

    /**
     * Returns the pairs that the system property {@code test.pairs} selects: {@code mixed} for pairs of different
     * transports, {@code same} for all other pairs, or {@code all}, the default.
     *
     * @param isMixed returns whether a test treats the transports of a pair as different
     */
    public static Stream<TransportPair> selected(Stream<TransportPair> pairs, Predicate<TransportPair> isMixed) {
        String selected = System.getProperty("test.pairs", "all");
        return switch (selected) {
            case "all" -> pairs;
            case "mixed" -> pairs.filter(isMixed);
            case "same" -> pairs.filter(isMixed.negate());
            default -> throw new IllegalArgumentException("test.pairs=" + selected + ": must be all, mixed or same");
        };
    }

    /**
     * Returns the pairs that represent all combinations in the tests. For a broker, TCP and shared memory are
     * equivalent, because in both cases the receiver places the bytes. To save time, pairs that combine these two are
     * therefore omitted. If several pairs differ only in these two, only one of them is tested.
     */
    public static Stream<TransportPair> tested() {
        return Stream.of(TCP_TCP, RDMA_TCP, RDMA_RDMA, SHM_SHM, SHM_RDMA);
    }

    /** Returns the publishers' transport. */
    public String publisher() {
        return publisher;
    }

    /** Returns the subscribers' transport. */
    public String subscriber() {
        return subscriber;
    }

    /** Returns true if the two transports differ, so that the broker needs two listeners. */
    public boolean isMixed() {
        return !publisher.equals(subscriber);
    }

    /**
     * Returns settings for a broker and its clients, with free ports on which the broker can be restarted. Skips the
     * test if a transport is missing.
     */
    public List<String> settings() {
        if (usesRdma()) {
            assumeRdma();
        }
        return isMixed()
                ? List.of(
                        PROVIDER,
                        listeners(Integer.toString(LastingPort.find()), Integer.toString(LastingPort.find())),
                        "rbmq.publisher.transport=" + publisher,
                        "rbmq.subscriber.transport=" + subscriber)
                : List.of(PROVIDER, "rocketbufs.transport=" + publisher);
    }

    /** Returns true if either side uses RDMA, which needs libfabric. */
    public boolean usesRdma() {
        return publisher.equals("rdma") || subscriber.equals("rdma");
    }

    /** Returns the setting of a broker's listeners on the given ports. */
    public String listeners(String publishersPort, String subscribersPort) {
        return String.format(LISTENERS, publisher, publishersPort, subscriber, subscribersPort);
    }

    /** Skips the test with a message if libfabric is not installed. */
    public static void assumeRdma() {
        try (RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config(PROVIDER))) {
            rocketBufs.localAddress("rdma");
        } catch (TransportException e) {
            assumeTrue(e.code() != TransportException.Code.UNAVAILABLE, e.getMessage());
            throw e;
        }
    }
}
