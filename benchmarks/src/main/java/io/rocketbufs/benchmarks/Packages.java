package io.rocketbufs.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The Debian packages that a benchmark needs. */
public final class Packages {
    /**
     * For each package, a file whose presence shows that the package is installed. A name without a slash is a program
     * in the search path.
     */
    private static final Map<String, String> FILES = new LinkedHashMap<>();

    static {
        FILES.put("gcc", "gcc");
        FILES.put("libc6-dev", "/usr/include/stdio.h");
        FILES.put("libfabric-dev", "/usr/include/rdma/fabric.h");
        FILES.put("libhiredis-dev", "/usr/include/hiredis/hiredis.h");
        FILES.put("librabbitmq-dev", "/usr/include/amqp.h");
        FILES.put("redis-server", "redis-server");
        FILES.put("nats-server", "nats-server");
        FILES.put("rabbitmq-server", "/usr/lib/rabbitmq/bin/rabbitmq-server");
    }

    private Packages() {}

    /** Returns the packages that are not installed. */
    public static List<String> missing(List<String> packages) {
        List<String> missing = new ArrayList<>(packages);
        missing.removeIf(name -> isThere(FILES.get(name)));
        return missing;
    }

    /** Returns the text that states how to install packages. */
    public static String remedy(List<String> missing) {
        return "missing packages; install them with: apt-get install -y --no-install-recommends "
                + String.join(" ", missing);
    }

    private static boolean isThere(String file) {
        if (file.startsWith("/")) {
            return Files.exists(Path.of(file));
        }
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, file)));
    }
}
