package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.CCompiler;
import io.rocketbufs.benchmarks.Packages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The C programs that generate load for the other brokers, and the bare relay.
 *
 * @param folder folder that contains the programs
 * @param load load program for one publisher or subscriber
 * @param relay program of the bare relay
 */
record CPrograms(Path folder, Path load, Path relay) {
    /**
     * Compiles the programs with whichever client libraries are installed.
     *
     * @param folder folder for the sources and the programs
     * @throws IOException if compiling fails; the message contains the compiler's output
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
