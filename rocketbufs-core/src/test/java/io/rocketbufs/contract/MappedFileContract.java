package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that files can be used like other memory: peers write to them, and connections send from them. */
class MappedFileContract {
    private static final int LENGTH = 3_000_001;
    private static final int WRITE_LENGTH = 60_000;

    private final Stage stage;

    @TempDir
    private Path directory;

    MappedFileContract(Stage stage) {
        this.stage = stage;
    }

    @Test
    void shouldCarryAFileIntoAFileOfThePeer() throws Exception {
        byte[] content = new byte[LENGTH];
        new Random(1).nextBytes(content);
        Path source = Files.write(directory.resolve("source"), content);
        Path target = directory.resolve("target");
        Transport receiving = stage.transport(Stage.config());
        Transport sending = stage.transport(Stage.config());
        try (MappedFile from = MappedFile.openReadOnly(source);
                MappedFile to = MappedFile.create(target, LENGTH)) {
            CompletableFuture<BareEnd> accepted = new CompletableFuture<>();
            TransportListener listener = receiving.listen(new InetSocketAddress(stage.host(), 0), connection -> {
                accepted.complete(new BareEnd(connection, to.region()));
                return accepted.join();
            });
            CompletableFuture<BareEnd> connected = new CompletableFuture<>();
            Stage.get(sending.connect(listener.address(), connection -> {
                connected.complete(new BareEnd(connection, from.region()));
                return connected.join();
            }));
            BareEnd receiver = Stage.get(accepted);
            RemoteAccess access = receiver.connection().grant(to.region(), 0, LENGTH);
            BareEnd sender = Stage.get(connected);
            RemoteBuffer remote = sender.connection().remoteBuffer(access, LENGTH);
            for (int offset = 0; offset < LENGTH; offset += WRITE_LENGTH) {
                sender.write(remote, offset, offset, Math.min(WRITE_LENGTH, LENGTH - offset));
            }
            eventually(() -> receiver.arrivedLength() == LENGTH);
            receiver.connection().revoke(access);

            to.force();
            assertThat(Files.mismatch(source, target)).isEqualTo(-1);
            sender.end();
            receiver.end();
            eventually(() -> sender.isClosed() && receiver.isClosed());
            listener.close();
        }
        assertThat(mapped())
                .as("mapped files while the transports are open")
                .doesNotContain(source.toString(), target.toString());
    }

    private static String mapped() throws IOException {
        return Files.readString(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1);
    }
}
