package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class UnixDatagramTest {
    private static final int MAX_LENGTH = 107;

    @TempDir
    Path folder;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldSendToAPath() throws IOException {
        String path = folder.resolve("socket").toString();
        try (ReceivingSocket socket = new ReceivingSocket(path)) {
            assertThat(socket.poll()).isNull();
            UnixDatagram.send(path, bytes("one\ntwo"));
            UnixDatagram.send(path, bytes("\u00fc"));
            assertThat(socket.poll()).isEqualTo("one\ntwo");
            assertThat(socket.poll()).isEqualTo("\u00fc");
        }
    }

    @Test
    void shouldSendToANameInTheAbstractNamespace() throws IOException {
        String name = "@rocketbufs/" + UUID.randomUUID();
        try (ReceivingSocket socket = new ReceivingSocket(name)) {
            UnixDatagram.send(name, bytes("one"));
            assertThat(socket.poll()).isEqualTo("one");
        }
    }

    @Test
    void shouldSendToTheLongestNameAndRefuseALongerOne() throws IOException {
        String prefix = "@" + UUID.randomUUID();
        String longest = prefix + "x".repeat(MAX_LENGTH - prefix.length());
        try (ReceivingSocket socket = new ReceivingSocket(longest)) {
            UnixDatagram.send(longest, bytes("one"));
            assertThat(socket.poll()).isEqualTo("one");
        }
        assertThatThrownBy(() -> UnixDatagram.send(longest + "x", bytes("one")))
                .isInstanceOf(IOException.class)
                .hasMessage("has 108 bytes; the maximum is 107");
    }

    @Test
    void shouldFailWithTheReasonAndLeakNoDescriptorWhenNoSocketReceives() throws IOException {
        long before = unixSocketCount();
        String path = folder.resolve("socket").toString();
        assertThatThrownBy(() -> UnixDatagram.send(path, bytes("one")))
                .isInstanceOf(IOException.class)
                .hasMessage("sendto: No such file or directory (errno 2)");
        new ReceivingSocket(path).close();
        assertThatThrownBy(() -> UnixDatagram.send(path, bytes("one")))
                .isInstanceOf(IOException.class)
                .hasMessage("sendto: Connection refused (errno 111)");
        assertThatThrownBy(() -> UnixDatagram.send("vsock:2:1", bytes("one")))
                .hasMessage("is neither an absolute path nor @ followed by a name");
        assertThat(unixSocketCount()).isEqualTo(before);
    }

    /** Returns the number of this process's Unix sockets that are not connected. */
    private static long unixSocketCount() throws IOException {
        String all = Files.readString(Path.of("/proc/net/unix"));
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .map(UnixDatagramTest::target)
                    .filter(target -> target.startsWith("socket:["))
                    .map(target -> target.replaceAll("[^0-9]", ""))
                    .filter(inode -> all.contains(" " + inode + "\n"))
                    .count();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // the descriptor has been closed in the meantime
        }
    }
}
