package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.text.PlainText;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * State shared by all leases of a broker: which producers may write directly into a log, and the thread that waits for
 * the disk.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class LeaseTerms {
    private static final String ALL = "*";

    private final DiskTasks diskTasks;
    private final LogBrokerSettings.Direct settings;
    private final int leasesPerProducer;
    /**
     * The hosts of producers that have changed an acknowledged batch. Clients choose their own names, but not their
     * hosts.
     */
    private final Set<String> distrusted = ConcurrentHashMap.newKeySet();
    /** The producers that have leases. */
    private final Set<Holder> holders = ConcurrentHashMap.newKeySet();

    /** A producer with leases. */
    interface Holder {
        Connection connection();

        /** Ends all leases; on the connection's worker. */
        void end();
    }

    /** @param leasesPerProducer maximum number of leases of one producer */
    LeaseTerms(DiskTasks diskTasks, LogBrokerSettings.Direct settings, int leasesPerProducer) {
        this.diskTasks = diskTasks;
        this.settings = settings;
        this.leasesPerProducer = leasesPerProducer;
    }

    int leasesPerProducer() {
        return leasesPerProducer;
    }

    /**
     * Returns the number of results of a connection, as {@link ProducerInput#possibleExcess}, up to which it can have a
     * further lease. A producer that takes its results never has more: those of the leases that it may have.
     */
    int largestExcess() {
        return (2 * leasesPerProducer - 1) * AppendResult.MOST_IN_FLIGHT;
    }

    long revokeTimeoutMs() {
        return settings.revokeTimeoutMs();
    }

    long orderTimeoutMs() {
        return settings.orderTimeoutMs();
    }

    /** Runs a task that may wait for the disk. Returns false if the broker is being closed. */
    boolean tryExecute(Runnable task) {
        return diskTasks.execute(task);
    }

    /** Runs a task like {@link #tryExecute}, but on this thread if that is not possible. */
    void execute(Runnable task) {
        if (!tryExecute(task)) {
            task.run();
        }
    }

    /** Returns why no producer may write into the logs of a topic, or null if the settings permit it. */
    String denial(String topic) {
        List<String> topics = settings.topics();
        return topics.contains(topic) || topics.contains(ALL)
                ? null
                : "topic " + topic + ": producers are not permitted to write directly into the log; add the topic to"
                        + " rocketlog.produce.direct.topics at the broker, or use the mode private";
    }

    /** Returns why the host of a peer lost the permission, or null if it did not. */
    String withdrawal(String peer) {
        return distrusted.contains(host(peer))
                ? "a producer on " + PlainText.of(host(peer)) + " changed acknowledged records, so producers on"
                        + " this host must use the mode private until the broker is restarted"
                : null;
    }

    /** Withdraws the permission from all producers on the host of a peer, and ends their leases. */
    void distrust(String peer) {
        String host = host(peer);
        distrusted.add(host); // before the loop: a lease that the loop misses begins later, and checks this
        for (Holder holder : holders) {
            if (host(holder.connection().peer()).equals(host)) {
                holder.connection().execute(holder::end);
            }
        }
    }

    /** Called when a producer acquires its first lease. */
    void add(Holder holder) {
        holders.add(holder);
    }

    /** Called when a producer no longer has any lease. */
    void remove(Holder holder) {
        holders.remove(holder);
    }

    private static String host(String peer) {
        int port = peer.lastIndexOf(':');
        return port < 0 ? peer : peer.substring(0, port);
    }
}
