package io.rocketbufs.rocketnet.rdma.ofi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A reader of the values of C expressions. It compiles a program with the installed headers and runs it. */
final class CHeaders {
    private static final Path FABRIC = Path.of("/usr/include/rdma/fabric.h");

    private static final List<String> HEADERS = List.of(
            "stddef.h",
            "stdio.h",
            "errno.h",
            "sys/uio.h",
            "sys/epoll.h",
            "sys/eventfd.h",
            "rdma/fabric.h",
            "rdma/fi_atomic.h",
            "rdma/fi_cm.h",
            "rdma/fi_domain.h",
            "rdma/fi_endpoint.h",
            "rdma/fi_eq.h",
            "rdma/fi_errno.h",
            "rdma/fi_rma.h");

    private CHeaders() {}

    /** Returns the reason why the headers or the compiler cannot be used, or null if they can. */
    static String unavailabilityCause() {
        if (!Files.exists(FABRIC)) {
            return FABRIC + " is not installed (libfabric-dev)";
        }
        try {
            return run(List.of("gcc", "--version")).status == 0 ? null : "gcc does not work";
        } catch (IOException e) {
            return "gcc is not installed: " + e.getMessage();
        }
    }

    /** Returns the values of C expressions by name. */
    static Map<String, Long> values(Map<String, String> expressions, Path directory) throws IOException {
        List<String> program = new ArrayList<>();
        HEADERS.forEach(header -> program.add("#include <" + header + ">"));
        program.add("int main(void) {");
        expressions.forEach((name, expression) ->
                program.add("printf(\"%s %lld\\n\", \"" + name + "\", (long long) (" + expression + "));"));
        program.add("return 0; }");
        Path source = Files.write(directory.resolve("values.c"), program);
        Path binary = directory.resolve("values");
        succeed(List.of("gcc", "-o", binary.toString(), source.toString()));
        Map<String, Long> values = new TreeMap<>();
        for (String line : succeed(List.of(binary.toString())).split("\n")) {
            String[] parts = line.split(" ");
            values.put(parts[0], Long.parseLong(parts[1]));
        }
        return values;
    }

    private record Ended(int status, String output) {}

    private static String succeed(List<String> command) throws IOException {
        Ended ended = run(command);
        if (ended.status != 0) {
            throw new AssertionError(command + " ended with " + ended.status + ": " + ended.output);
        }
        return ended.output;
    }

    private static Ended run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        try {
            return new Ended(process.waitFor(), output);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException(command + " was interrupted", e);
        }
    }
}
