package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.arrival;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.await;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.bytes;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.control;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportConnection;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of sending over real sockets that run out of space. */
@Timeout(600)
abstract class TcpSendingSuite {
    private static final int LONGEST_WRITE = 256 << 10;

    private final String io;

    TcpSendingSuite(String io) {
        this.io = io;
    }

    @Test
    void shouldCarryWritesAndControlMessagesBothWays() throws Exception {
        try (TcpEnds ends = new TcpEnds(io)) {
            TcpRecordingHandler client = ends.connect();
            TcpRecordingHandler server = ends.accepted(0);
            TcpSender toServer = new TcpSender(client, ends.memory);
            TcpSender toClient = new TcpSender(server, ends.memory);
            byte[] large = Frames.payload(LONGEST_WRITE, 1);
            toServer.write(1, bytes("ping"));
            toServer.send(bytes("note"));
            toServer.write(2, large);
            toServer.write(3, bytes(""));
            toClient.send(bytes("answer"));
            toClient.write(-1, large);
            server.awaitEvents(
                    arrival(1, bytes("ping")), control(bytes("note")), arrival(2, large), arrival(3, bytes("")));
            client.awaitEvents(control(bytes("answer")), arrival(-1, large));
        }
    }

    @Test
    void shouldPostDataThatDoesNotFitAndPreserveTheOrder() throws Exception {
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            TcpSender sender = new TcpSender(ends.accepted(0), ends.memory);
            byte[] payload = Frames.payload(LONGEST_WRITE, 1);
            int frames = fill(sender, payload);
            assertThat(sender.tryWrite(-1, bytes("no"))).isEqualTo(PostResult.NO_WINDOW);
            assertThat(ends.accepted(0).connection().send(ByteBuffer.allocate(3)))
                    .isEqualTo(PostResult.NO_WINDOW);

            DataInputStream in = new DataInputStream(peer.getInputStream());
            Thread completing = onThread(() -> {
                sender.complete();
                sender.write(1000, bytes("after"));
                sender.send(bytes("end"));
            });
            for (int i = 0; i < frames; i++) {
                assertThat(in.readNBytes(8 + LONGEST_WRITE))
                        .isEqualTo(new Frames().write(i, payload).bytes());
            }
            completing.join();
            byte[] rest = new Frames()
                    .write(1000, bytes("after"))
                    .control(bytes("end"))
                    .bytes();
            assertThat(in.readNBytes(rest.length)).isEqualTo(rest);
        }
    }

    /**
     * Writes frames until a frame is only posted because the socket has no space. The payload of that frame stays in
     * the sender's memory. Returns the number of frames.
     */
    private static int fill(TcpSender sender, byte[] payload) throws InterruptedException {
        for (int i = 0; ; i++) {
            PostResult result = sender.tryWrite(i, payload);
            while (result == PostResult.NO_WINDOW) {
                sender.awaitWritable();
                result = sender.tryWrite(i, payload);
            }
            if (result == PostResult.POSTED) {
                return i + 1;
            }
        }
    }

    @Test
    void shouldSendTheOriginalBytesAfterAWithdrawal() throws Exception {
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            TcpRecordingHandler handler = ends.accepted(0);
            TcpSender sender = new TcpSender(handler, ends.memory);
            byte[] payload = Frames.payload(LONGEST_WRITE, 1);
            int frames = fill(sender, payload);
            assertThat(handler.connection().withdraw()).isEqualTo(1);
            sender.overwrite();

            DataInputStream in = new DataInputStream(peer.getInputStream());
            Thread sending = onThread(() -> sender.send(bytes("end")));
            for (int i = 0; i < frames; i++) {
                assertThat(in.readNBytes(8 + LONGEST_WRITE))
                        .isEqualTo(new Frames().write(i, payload).bytes());
            }
            sending.join();
            byte[] rest = new Frames().control(bytes("end")).bytes();
            assertThat(in.readNBytes(rest.length)).isEqualTo(rest);
        }
    }

    @Test
    void shouldFinishAfterAPostedWrite() throws Exception {
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            TcpRecordingHandler handler = ends.accepted(0);
            TcpSender sender = new TcpSender(handler, ends.memory);
            int frames = fill(sender, new byte[LONGEST_WRITE]);
            handler.connection().finish();
            Thread completing = onThread(sender::complete);
            assertThat(peer.getInputStream().readAllBytes()).hasSize(frames * (8 + LONGEST_WRITE));
            completing.join();

            peer.getOutputStream().write(new Frames().write(1, bytes("still")).bytes());
            handler.awaitEvents(arrival(1, bytes("still")));
        }
    }

    @Test
    void shouldSendCommittedDataEvenIfClosedAfterFinish() throws Exception {
        byte[] message = Frames.payload(16 << 10, 1);
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            TransportConnection connection = ends.accepted(0).connection();
            int messages = 0;
            while (connection.send(ByteBuffer.wrap(message)) == PostResult.SENT) {
                messages++;
            }
            connection.finish();
            closeOnWorker(connection);
            assertThat(ends.accepted(0).events()).containsExactly("closed");
            assertThat(peer.getInputStream().readAllBytes()).hasSize(messages * (8 + message.length));
        }
    }

    @Test
    void shouldSendTheOriginalBytesOfAPostedWriteEvenIfClosedAfterFinish() throws Exception {
        byte[] payload = Frames.payload(LONGEST_WRITE, 1);
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            TcpSender sender = new TcpSender(ends.accepted(0), ends.memory);
            int frames = fill(sender, payload);
            TransportConnection connection = ends.accepted(0).connection();
            connection.finish();
            closeOnWorker(connection);
            sender.overwrite();
            DataInputStream in = new DataInputStream(peer.getInputStream());
            for (int i = 0; i < frames; i++) {
                assertThat(in.readNBytes(8 + LONGEST_WRITE))
                        .isEqualTo(new Frames().write(i, payload).bytes());
            }
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    private static void closeOnWorker(TransportConnection connection) throws InterruptedException {
        CountDownLatch closed = new CountDownLatch(1);
        connection.worker().execute(() -> {
            connection.close();
            closed.countDown();
        });
        closed.await();
    }

    @Test
    void shouldNotDeadlockWhenBothDirectionsAreFull() throws Exception {
        byte[] payload = Frames.payload(LONGEST_WRITE, 1);
        int count = 60;
        try (TcpEnds ends = new TcpEnds(io, "num-threads = 1")) {
            TcpRecordingHandler client = ends.connect();
            TcpRecordingHandler server = ends.accepted(0);
            Thread one = onThread(() -> writeAll(new TcpSender(client, ends.memory), payload, count));
            Thread two = onThread(() -> writeAll(new TcpSender(server, ends.memory), payload, count));
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                expected.add(arrival(i, payload));
            }
            client.awaitEvents(expected);
            server.awaitEvents(expected);
            one.join();
            two.join();
        }
    }

    @Test
    void shouldLoseNoWakeUpWhenSpaceIsScarce() throws Exception {
        long seed = System.nanoTime();
        try (TcpEnds ends = new TcpEnds(io, "send-buffer = 5 KiB", "receive-buffer = 5 KiB")) {
            List<Thread> threads = new ArrayList<>();
            List<List<String>> expected = new ArrayList<>();
            List<TcpRecordingHandler> receivers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                TcpRecordingHandler client = ends.connect();
                TcpRecordingHandler server = ends.accepted(i);
                for (TcpRecordingHandler handler : List.of(client, server)) {
                    List<String> sent = new ArrayList<>();
                    Random random = new Random(seed + threads.size());
                    threads.add(onThread(() -> sendAnything(new TcpSender(handler, ends.memory), random, sent)));
                    expected.add(sent);
                }
                receivers.add(server);
                receivers.add(client);
            }
            for (int i = 0; i < threads.size(); i++) {
                threads.get(i).join();
                receivers.get(i).awaitEvents(expected.get(i));
            }
        } catch (Throwable e) {
            e.addSuppressed(new AssertionError("seed " + seed));
            throw e;
        }
    }

    private static void sendAnything(TcpSender sender, Random random, List<String> sent) throws InterruptedException {
        for (int i = 0; i < 1_000; i++) {
            byte[] payload = Frames.payload(1 + random.nextInt(1 << random.nextInt(14)), random.nextLong());
            switch (random.nextInt(4)) {
                case 0 -> {
                    sender.send(payload);
                    sent.add(control(payload));
                }
                case 1 -> {
                    sender.writeAndWithdraw(i, payload);
                    sent.add(arrival(i, payload));
                }
                default -> {
                    sender.write(i, payload);
                    sent.add(arrival(i, payload));
                }
            }
        }
        sender.drain();
        sent.add(arrival(0, new byte[0]));
    }

    private static void writeAll(TcpSender sender, byte[] payload, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            sender.write(i, payload);
        }
    }

    @Test
    void shouldReadDataThatArrivedBeforeAWriteFailed() throws Exception {
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            TcpRecordingHandler handler = ends.accepted(0);
            CountDownLatch blocked = new CountDownLatch(1);
            handler.connection().worker().execute(() -> awaitQuietly(blocked));
            sendAndClose(peer, new Frames().write(1, bytes("last words")).bytes());
            TcpSender sender = new TcpSender(handler, ends.memory);
            await().until(() -> sender.tryWrite(1, bytes("x")) == PostResult.CLOSED);
            blocked.countDown();
            assertThat(handler.awaitFailure()).startsWith("PEER_LOST write to 127.0.0.1:");
            assertThat(handler.events())
                    .startsWith(arrival(1, bytes("last words")))
                    .endsWith("failed PEER_LOST", "closed");
            assertThat(handler.connection().send(ByteBuffer.allocate(1))).isEqualTo(PostResult.CLOSED);
            assertThat(handler.connection().progress()).isZero();
        }
    }

    private static void sendAndClose(Socket socket, byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.close();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** An action of a thread in a test. */
    @FunctionalInterface
    private interface Action {
        void run() throws Exception;
    }

    private static Thread onThread(Action action) {
        Thread thread = new Thread(() -> {
            try {
                action.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        return thread;
    }
}
