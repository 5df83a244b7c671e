package io.rocketbufs.benchmarks.compare;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** RBMQ with particular settings. */
enum Variant {
    /** The default settings. */
    RBMQ(),
    /** Publishers publish 64 messages per call, as the clients of other brokers do. */
    RBMQ_BATCH(Rbmq.BATCH, "64"),
    /** Publishers overwrite unsent data and never wait. Lost messages are not counted as faults. */
    RBMQ_NO_FLOW_CONTROL("--set", "rbmq.publisher.flow-control=off"),
    /** Each message is a separate transfer, as in a literal reading of the paper. */
    RBMQ_NO_COALESCING("--set", "rocketbufs.coalescing=off"),
    /** Publishers and subscribers over RDMA. All RDMA variants use libfabric's tcp provider. */
    RBMQ_RDMA("--pub-transport", "rdma", "--sub-transport", "rdma"),
    /** Publishers over TCP, subscribers over RDMA. */
    RBMQ_TCP_RDMA("--pub-transport", "tcp", "--sub-transport", "rdma"),
    /** Publishers over RDMA, subscribers over TCP. */
    RBMQ_RDMA_TCP("--pub-transport", "rdma", "--sub-transport", "tcp"),
    /** Publishers and subscribers through shared memory. */
    RBMQ_SHM("--pub-transport", "shm", "--sub-transport", "shm"),
    /** Publishers through shared memory, subscribers over TCP. */
    RBMQ_SHM_TCP("--pub-transport", "shm", "--sub-transport", "tcp"),
    /** Publishers over TCP, subscribers through shared memory. */
    RBMQ_TCP_SHM("--pub-transport", "tcp", "--sub-transport", "shm");

    private static final List<String> PROVIDER = List.of("--set", "rocketbufs.rdma.provider=tcp");

    private final List<String> settings;

    Variant(String... settings) {
        this.settings = List.of(settings);
    }

    /**
     * Creates the contender.
     *
     * @param command bin/rbmq
     */
    Contender contender(Path command) {
        List<String> all = settings.contains("rdma")
                ? Stream.concat(PROVIDER.stream(), settings.stream()).toList()
                : settings;
        return new Rbmq(toString(), command, all, this == RBMQ_NO_FLOW_CONTROL);
    }

    /** Returns the variant's name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
