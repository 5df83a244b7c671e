package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.CCompiler;
import io.rocketbufs.benchmarks.Packages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The programs in C that load the others' brokers.
 *
 * @param folder where they are
 * @param load one publisher or subscriber
 * @param relay the limit
 */
record CPrograms(Path folder, Path load, Path relay) {
    /**
     * Compiles them, with the client libraries that are there.
     *
     * @param folder where sources and programs go
     * @throws IOException with what the compiler has said
     */
    static CPrograms build(Path folder) throws IOException, InterruptedException {
        List<String> flags = new ArrayList<>(List.of("-pthread"));
        flags.add(Packages.missing(List.of("libhiredis-dev")).isEmpty() ? "-lhiredis" : "-DWITHOUT_HIREDIS");
        flags.add(Packages.missing(List.of("librabbitmq-dev")).isEmpty() ? "-lrabbitmq" : "-DWITHOUT_RABBITMQ");
        return new CPrograms(
                folder,
                CCompiler.compile("peer_load", folder, flags),
                CCompiler.compile("raw_relay", folder, List.of()));
    }
}
