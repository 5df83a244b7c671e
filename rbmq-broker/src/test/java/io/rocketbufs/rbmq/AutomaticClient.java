package io.rocketbufs.rbmq;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program that connects with automatic transport selection and prints the transport that it uses. */
public final class AutomaticClient {
    private AutomaticClient() {}

    /**
     * Runs this program in a separate process. Returns its output.
     *
     * @param launcher the command, with its options, that starts Java
     * @param folder the working directory
     * @param arguments the arguments of {@link #main}
     */
    static String run(List<String> launcher, Path folder, String classPath, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(launcher);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", classPath, AutomaticClient.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    /** Returns the class path of the tests. */
    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /**
     * Connects to the port in the first argument. The other arguments are the directory of the sockets and the group.
     */
    public static void main(String[] arguments) {
        Config config = RunningBroker.config(
                "rocketbufs.transport = auto",
                "rocketbufs.shm.directory = \"" + arguments[1] + "\"",
                "rocketbufs.shm.group = \"" + arguments[2] + "\"");
        InetSocketAddress broker =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        try (RocketBufs rocketBufs = RocketBufs.open(config);
                Publisher publisher = Publisher.connect(
                        rocketBufs, ClientSettings.publisher(config).withBroker(broker))) {
            System.out.println("transport: " + publisher.transport());
        }
    }
}
