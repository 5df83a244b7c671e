package io.rocketbufs.livestream.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A network namespace in which processes can run. A virtual cable, which can be disconnected, links it to another
 * namespace. Requires root.
 */
final class Namespace implements AutoCloseable {
    private final String name;

    private Namespace(String name) {
        this.name = name;
    }

    /**
     * Creates two linked namespaces with the addresses 10.77.0.1 and 10.77.0.2. Skips the test if this is not
     * permitted.
     */
    static List<Namespace> pair() {
        long id = ProcessHandle.current().pid();
        Namespace one = new Namespace("rb-" + id + "-1");
        Namespace two = new Namespace("rb-" + id + "-2");
        String said = run(List.of("ip", "netns", "add", one.name));
        assumeTrue(said.isEmpty(), "cannot create network namespaces: " + said);
        must(List.of("ip", "netns", "add", two.name));
        must(one.command("ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", two.name));
        one.up("10.77.0.1/24");
        two.up("10.77.0.2/24");
        return List.of(one, two);
    }

    private void up(String address) {
        must(command("ip", "address", "add", address, "dev", "cable"));
        must(command("ip", "link", "set", "lo", "up"));
        must(command("ip", "link", "set", "cable", "up"));
    }

    /** Disconnects the cable. Packets are lost, and no peer is notified. */
    void pull() {
        must(command("ip", "link", "set", "cable", "down"));
    }

    /** Reconnects the cable. */
    void plug() {
        must(command("ip", "link", "set", "cable", "up"));
    }

    /** Returns a command that runs the given command in this namespace. */
    List<String> command(String... words) {
        List<String> all = new ArrayList<>(within());
        all.addAll(List.of(words));
        return all;
    }

    /** Returns the prefix that makes a command run in this namespace. */
    List<String> within() {
        return List.of("ip", "netns", "exec", name);
    }

    /** Runs a command in this namespace and returns its output. Fails if the command fails. */
    String run(String... words) {
        return Ffmpeg.run(command(words).toArray(String[]::new));
    }

    private static void must(List<String> command) {
        String said = run(command);
        if (!said.isEmpty()) {
            throw new IllegalStateException(command + ": " + said);
        }
    }

    /** Runs a command. Returns its error output, or an empty string if the command succeeds. */
    private static String run(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes());
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                return "did not end within 60 s";
            }
            return process.exitValue() == 0 ? "" : "exit code " + process.exitValue() + " " + said.strip();
        } catch (IOException e) {
            return e.getMessage();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        must(List.of("ip", "netns", "delete", name));
    }
}
