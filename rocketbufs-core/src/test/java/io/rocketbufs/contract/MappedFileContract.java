package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.WriteRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are memory like any other: peers write into them, and connections send from them. */
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
            CompletableFuture<End> accepted = new CompletableFuture<>();
            TransportListener listener = receiving.listen(new InetSocketAddress(stage.host(), 0), connection -> {
                accepted.complete(new End(connection, to.region()));
                return accepted.join();
            });
            CompletableFuture<End> connected = new CompletableFuture<>();
            Stage.get(sending.connect(listener.address(), connection -> {
                connected.complete(new End(connection, from.region()));
                return connected.join();
            }));
            End receiver = Stage.get(accepted);
            RemoteAccess access = receiver.connection.grant(to.region(), LENGTH);
            End sender = Stage.get(connected);
            sender.send(sender.connection.remoteBuffer(access, LENGTH));
            eventually(() -> receiver.arrivedLength() == LENGTH);
            receiver.connection.revoke(access);

            to.force();
            assertThat(Files.mismatch(source, target)).isEqualTo(-1);
            sender.end();
            receiver.end();
            eventually(() -> sender.closed && receiver.closed);
            listener.close();
        }
        assertThat(mapped()).as("the transports are still open").doesNotContain(source.toString(), target.toString());
    }

    @Test
    void shouldNotGrantAccessToWhatCanOnlyBeRead() throws Exception {
        Path path = Files.write(directory.resolve("source"), new byte[LENGTH]);
        Transport receiving = stage.transport(Stage.config());
        assumeThat(receiving.capabilities().receiverPlaces())
                .as("this side stores the bytes itself")
                .isFalse();
        Transport sending = stage.transport(Stage.config());
        try (MappedFile file = MappedFile.openReadOnly(path);
                TransportListener listener = receiving.listen(
                        new InetSocketAddress(stage.host(), 0), connection -> new End(connection, file.region()))) {
            CompletableFuture<End> connected = new CompletableFuture<>();
            Stage.get(sending.connect(listener.address(), connection -> {
                connected.complete(new End(connection, file.region()));
                return connected.join();
            }));
            End end = Stage.get(connected);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> end.connection.grant(file.region(), LENGTH))
                    .withMessageContaining("can only be read");
            end.end();
            eventually(() -> end.closed);
        }
    }

    private static String mapped() throws IOException {
        return Files.readString(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1);
    }

    /** One end of a connection, which sends a region or receives one. */
    private static final class End implements TransportHandler {
        private final TransportConnection connection;
        private final ByteBuffer window;
        private final Region region;
        private final Object sendingSide = new Object();
        private int placed;
        private int arrived;
        private boolean ended;
        private volatile boolean closed;

        End(TransportConnection connection, Region region) {
            this.connection = connection;
            this.region = region;
            this.window = region.window(0, LENGTH);
        }

        void send(RemoteBuffer remote) {
            WriteRequest request = new WriteRequest(connection.capabilities().vecsPerWrite());
            for (int offset = 0; offset < LENGTH; offset += WRITE_LENGTH) {
                request.set(region, remote, offset, 0);
                int length = Math.min(WRITE_LENGTH, LENGTH - offset);
                request.vecs().add(window, offset, length, region.address() + offset);
                eventually(() -> {
                    synchronized (sendingSide) {
                        return connection.write(request) != PostResult.NO_WINDOW;
                    }
                });
            }
        }

        synchronized int arrivedLength() {
            return arrived;
        }

        void end() {
            connection.worker().execute(() -> {
                synchronized (sendingSide) {
                    if (!ended) {
                        ended = true;
                        connection.close();
                    }
                }
            });
        }

        @Override
        public void place(int immediate, int length, Vecs into) {
            into.add(window, placed, length, region.address() + placed);
            placed += length;
        }

        @Override
        public synchronized void arrived(int immediate, int length) {
            arrived += length;
        }

        @Override
        public void arrivalsEnd() {
            // No work is deferred.
        }

        @Override
        public void control(ByteBuffer message) {
            throw new AssertionError("unexpected control message");
        }

        @Override
        public void completed(int count) {
            writable();
        }

        @Override
        public void writable() {
            synchronized (sendingSide) {
                if (!ended) {
                    connection.progress();
                }
            }
        }

        @Override
        public void peerFinished() {
            end();
        }

        @Override
        public void failed(TransportException cause) {
            end();
        }

        @Override
        public void closed() {
            closed = true;
        }
    }
}
