package io.rocketbufs.benchmarks.compare;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A broker or relay with which RBMQ is compared. */
enum Peer {
    RAW(null, List.of()),
    REDIS(InstalledServer.REDIS, List.of("redis-server", "libhiredis-dev")),
    NATS(InstalledServer.NATS, List.of("nats-server")),
    RABBITMQ(InstalledServer.RABBITMQ, List.of("rabbitmq-server", "librabbitmq-dev"));

    private static final List<Load> LIMIT = List.of(new Load(1, 64));
    private static final List<Load> ALL = List.of(
            new Load(1, 16), new Load(1, 64), new Load(2, 16), new Load(2, 64), new Load(4, 16), new Load(4, 64));

    private final InstalledServer.Kind kind;
    private final List<String> packages;

    Peer(InstalledServer.Kind kind, List<String> packages) {
        this.kind = kind;
        this.packages = packages;
    }

    /** Returns the Debian packages that this peer needs. */
    List<String> packages() {
        return packages;
    }

    /**
     * Creates the contender.
     *
     * @param folder folder for the programs' files
     */
    Contender contender(CPrograms programs, Path folder) {
        return kind == null
                ? new LoadedServer(toString(), new RawRelay(programs), programs, LIMIT)
                : new LoadedServer(toString(), new InstalledServer(kind, folder.resolve(toString())), programs, ALL);
    }

    /** Returns the peer's name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
