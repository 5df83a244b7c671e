package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.text.PlainText;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * State shared by all leases of a broker: the permission to write directly into logs, and the thread for tasks that
 * wait for the disk.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class LeaseTerms {
    private static final String ALL = "*";

    private final DiskTasks diskTasks;
    private final LogBrokerSettings.Direct settings;
    private final int leasesPerProducer;
    /**
     * The hosts of producers that have changed an acknowledged batch. Hosts are used because a client can choose its
     * name but not its host.
     */
    private final Set<String> distrusted = ConcurrentHashMap.newKeySet();
    /** The producers that have leases. */
    private final Set<Holder> holders = ConcurrentHashMap.newKeySet();

    /** A producer with leases. */
    interface Holder {
        Connection connection();

        /** Ends all leases of the producer. Called on the connection's worker. */
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
     * Returns the largest {@link ProducerInput#possibleExcess} of a connection at which it may acquire another lease. A
     * producer that reads its results never exceeds this value, because its leases limit the number of its results.
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

    /** Runs a task on the thread that waits for the disk. Returns false if the broker is being closed. */
    boolean tryExecute(Runnable task) {
        return diskTasks.execute(task);
    }

    /** Runs a task like {@link #tryExecute}, or on the calling thread if the broker is being closed. */
    void execute(Runnable task) {
        if (!tryExecute(task)) {
            task.run();
        }
    }

    /** Returns the refusal if producers may not write directly into a topic's logs, or null if they may. */
    RefusedRequest denial(String topic) {
        List<String> topics = settings.topics();
        return topics.contains(topic) || topics.contains(ALL)
                ? null
                : new RefusedRequest(
                        LogRefusal.DENIED,
                        "topic " + topic + ": producers are not permitted to write directly into the log",
                        "add the topic to rocketlog.produce.direct.topics at the broker, or use the mode private");
    }

    /**
     * Returns the refusal if producers on the host of a peer have lost the permission, or null if they have not.
     *
     * @param partition name of the partition for which a producer requests a lease
     */
    RefusedRequest withdrawal(String partition, String peer) {
        return isDistrusted(peer)
                ? new RefusedRequest(
                        LogRefusal.MODE_UNAVAILABLE,
                        partition + ": a producer on " + PlainText.of(host(peer))
                                + " changed acknowledged records, so no producer on this host may write directly into"
                                + " the log",
                        "identify the program in the broker's log, then restart the broker; until then, use the mode"
                                + " private")
                : null;
    }

    /** Returns true if producers on the host of a peer have lost the permission. */
    boolean isDistrusted(String peer) {
        return distrusted.contains(host(peer));
    }

    /** Withdraws the permission from all producers on the host of a peer, and ends their leases. */
    void distrust(String peer) {
        String host = host(peer);
        distrusted.add(host); // before the loop: a lease that the loop misses starts later, and checks this set
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

    /** Called when a producer no longer holds a lease. */
    void remove(Holder holder) {
        holders.remove(holder);
    }

    private static String host(String peer) {
        int port = peer.lastIndexOf(':');
        return port < 0 ? peer : peer.substring(0, port);
    }
}
