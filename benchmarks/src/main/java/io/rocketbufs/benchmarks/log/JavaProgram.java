package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.JavaCommand;
import io.rocketbufs.benchmarks.log.load.LoadProgram;
import java.util.ArrayList;
import java.util.List;

/** The command line of the load program for a client library in Java. */
final class JavaProgram {
    private static final List<String> LOAD_FLAGS = List.of("-XX:+UseSerialGC", "-Xmn256m", "-Dlog.level=warn");

    private JavaProgram() {}

    /**
     * Returns the command line that runs the load program.
     *
     * @param library name of the client library
     * @param settings additional settings of the library
     */
    static List<String> load(String library, LogSystem.RunningBroker broker, String settings) {
        return load(List.of(), library, broker, settings);
    }

    /** Returns the command line that runs the load program with additional JVM flags. */
    static List<String> load(List<String> flags, String library, LogSystem.RunningBroker broker, String settings) {
        List<String> all = new ArrayList<>(LOAD_FLAGS);
        all.addAll(flags);
        return JavaCommand.of(all, LoadProgram.class.getName(), List.of(library, broker.address(), settings));
    }
}
