package io.rocketbufs.benchmarks.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A log with which rocketlog is compared. */
enum LogPeer {
    /** A log implemented in C over plain sockets. */
    RAW(List.of("gcc", "libc6-dev"), RawSystem::log),
    /** The same log in C over libfabric. */
    RAW_RDMA(List.of("gcc", "libc6-dev", "libfabric-dev"), RawRdmaSystem::log),
    /** Plain writes to files, without a log. */
    DISK(List.of("gcc", "libc6-dev"), RawSystem::disk),
    /** Apache Kafka. */
    KAFKA(List.of(), folder -> new KafkaSystem()),
    /** NATS JetStream. */
    JETSTREAM(List.of("nats-server"), folder -> JetStreamSystem.installed()),
    /** Redis Streams. */
    REDIS(List.of("redis-server"), folder -> new RedisSystem()),
    /** Chronicle Queue, without a network. */
    CHRONICLE(List.of(), folder -> new ChronicleSystem());

    private final List<String> packages;
    private final Source source;

    LogPeer(List<String> packages, Source source) {
        this.packages = packages;
        this.source = source;
    }

    /** Returns the Debian packages that this peer needs. */
    List<String> packages() {
        return packages;
    }

    /**
     * Creates the system.
     *
     * @param folder folder for the programs' files
     */
    LogSystem system(Path folder) throws IOException, InterruptedException {
        return source.system(folder);
    }

    /** Returns the peer's name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A factory of a system whose programs are in a folder. */
    @FunctionalInterface
    private interface Source {
        LogSystem system(Path folder) throws IOException, InterruptedException;
    }
}
