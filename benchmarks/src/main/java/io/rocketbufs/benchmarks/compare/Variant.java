package io.rocketbufs.benchmarks.compare;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** RBMQ with particular settings. */
enum Variant {
    /** The defaults. */
    RBMQ(),
    /** Publishers overwrite unsent data and never wait; losses are counted and are not faults. */
    RBMQ_NO_FLOW_CONTROL("--set", "rbmq.publisher.flow-control=off"),
    /** Each message is a transfer, as the paper specifies literally. */
    RBMQ_NO_COALESCING("--set", "rocketbufs.coalescing=off"),
    /** Over libfabric's provider tcp, as are the variants that follow. */
    RBMQ_RDMA("--pub-transport", "rdma", "--sub-transport", "rdma"),
    /** Publishers over TCP, subscribers over RDMA. */
    RBMQ_TCP_RDMA("--pub-transport", "tcp", "--sub-transport", "rdma"),
    /** Publishers over RDMA, subscribers over TCP. */
    RBMQ_RDMA_TCP("--pub-transport", "rdma", "--sub-transport", "tcp");

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

    /** Returns its name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
