package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.arrival;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.await;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.bytes;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.control;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.Worker;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of frames that a peer sends in arbitrary pieces over a real socket, and of protocol violations by the peer. */
@Timeout(600)
abstract class TcpReceivingSuite {
    private static final int LONGEST_WRITE = 256 << 10;
    private static final int LONGEST_CONTROL = 16 << 10;

    private final String io;

    TcpReceivingSuite(String io) {
        this.io = io;
    }

    @Test
    void shouldReassembleFramesCutAtEveryByte() throws Exception {
        byte[] frames = new Frames()
                .write(7, bytes("seven"))
                .control(bytes("note"))
                .write(-8, bytes(""))
                .write(9, bytes("nine nine nine"))
                .bytes();
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            TcpRecordingHandler receiver = ends.accepted(0);
            for (int cut = 0; cut <= frames.length; cut++) {
                sendCut(peer.getOutputStream(), frames, cut, receiver, cut * 4);
            }
        }
    }

    /**
     * Sends frames in two pieces. Sends the second piece after all frames that the first piece completes have been
     * reported.
     */
    private static void sendCut(OutputStream out, byte[] frames, int cut, TcpRecordingHandler receiver, int before)
            throws IOException {
        out.write(frames, 0, cut);
        int complete = cut >= frames.length ? 4 : cut >= 33 ? 3 : cut >= 25 ? 2 : cut >= 13 ? 1 : 0;
        await().untilAsserted(() -> assertThat(receiver.events()).hasSize(before + complete));
        out.write(frames, cut, frames.length - cut);
        await().untilAsserted(() -> assertThat(receiver.events()).hasSize(before + 4));
        assertThat(receiver.events().subList(before, before + 4))
                .containsExactly(
                        arrival(7, bytes("seven")),
                        control(bytes("note")),
                        arrival(-8, bytes("")),
                        arrival(9, bytes("nine nine nine")));
    }

    @Test
    void shouldDeliverManyFramesOfOneSegmentInOrder() throws Exception {
        Frames frames = new Frames();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            byte[] payload = Frames.payload(i % 40, i);
            if (i % 10 == 9) {
                frames.control(payload);
                expected.add(control(payload));
            } else {
                frames.write(i, payload);
                expected.add(arrival(i, payload));
            }
        }
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            peer.getOutputStream().write(frames.bytes());
            ends.accepted(0).awaitEvents(expected);
        }
    }

    @Test
    void shouldRecogniseAnotherProtocolOnlyInTheFirstFrame() throws Exception {
        Runnable failing = () -> {
            throw new IllegalStateException("an error in a callback");
        };
        byte[] write = new Frames()
                .write('G' << 24 | 'E' << 16 | 'T' << 8 | ' ', bytes("x"))
                .bytes();
        try (TcpEnds ends = new TcpEnds(handler -> handler.onArrival(failing), io);
                Socket stranger = ends.connectRaw()) {
            stranger.getOutputStream().write(write);
            assertThat(ends.accepted(0).awaitFailure()).endsWith(" speaks HTTP");
            assertThat(ends.accepted(0).failure().isInternal()).isFalse();
            try (Socket peer = ends.connectRaw()) {
                peer.getOutputStream()
                        .write(new Frames().control(bytes("first")).bytes());
                peer.getOutputStream().write(write);
                assertThat(ends.accepted(1).awaitFailure()).endsWith(": an error in a callback");
                assertThat(ends.accepted(1).failure().isInternal()).isTrue();
            }
        }
    }

    @Test
    void shouldReportTheEndOfArrivalsBeforeWaiting() throws Exception {
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            for (int i = 1; i <= 3; i++) {
                peer.getOutputStream().write(new Frames().write(i, bytes("x")).bytes());
                int events = 2 * i;
                await().until(() -> ends.accepted(0).eventsWithEnds().size() == events);
                assertThat(ends.accepted(0).eventsWithEnds()).endsWith(arrival(i, bytes("x")), "end");
            }
        }
    }

    @Test
    void shouldReadLargeWrappedFramesDirectlyIntoPlace() throws Exception {
        byte[] large = Frames.payload(LONGEST_WRITE, 1);
        try (TcpEnds ends = new TcpEnds(handler -> handler.startAt(TcpEnds.CAPACITY - 100_000), io);
                Socket peer = ends.connectRaw()) {
            peer.getOutputStream()
                    .write(new Frames()
                            .write(1, large)
                            .write(2, bytes("after"))
                            .write(3, large)
                            .bytes());
            ends.accepted(0).awaitEvents(arrival(1, large), arrival(2, bytes("after")), arrival(3, large));
        }
    }

    @Test
    void shouldServeOtherConnectionsWhileOneFloods() throws Exception {
        try (TcpEnds ends = new TcpEnds(io, "num-threads = 1");
                Socket flood = ends.connectRaw();
                Socket other = ends.connectRaw()) {
            byte[] frames = new Frames().write(1, new byte[LONGEST_WRITE]).bytes();
            Thread flooding = flooding(flood, frames);
            TcpRecordingHandler receiver = ends.accepted(1);
            for (int i = 1; i <= 50; i++) {
                other.getOutputStream().write(new Frames().write(i, bytes("o")).bytes());
                receiver.awaitEvent(arrival(i, bytes("o")));
            }
            reset(flood);
            flooding.join();
        }
    }

    @Test
    void shouldServeOtherConnectionsWhileOneSendsFasterThanItIsHandled() throws Exception {
        AtomicInteger flooded = new AtomicInteger();
        List<Integer> floodedAtArrivals = new CopyOnWriteArrayList<>();
        AtomicInteger connections = new AtomicInteger();
        Runnable busy = () -> {
            flooded.incrementAndGet();
            for (long end = System.nanoTime() + 200_000; System.nanoTime() < end; ) {
                Thread.onSpinWait();
            }
        };
        try (TcpEnds ends = new TcpEnds(
                        handler -> handler.onArrival(
                                connections.getAndIncrement() == 0 ? busy : () -> floodedAtArrivals.add(flooded.get())),
                        io,
                        "num-threads = 1");
                Socket flood = ends.connectRaw()) {
            ends.accepted(0);
            Thread flooding =
                    flooding(flood, new Frames().write(1, new byte[100_000]).bytes());
            try (Socket other = ends.connectRaw()) {
                List<Integer> waits = new ArrayList<>();
                for (int i = 1; i <= 15; i++) {
                    int before = flooded.get();
                    int arrivals = i;
                    other.getOutputStream()
                            .write(new Frames().write(i, bytes("o")).bytes());
                    await().until(() -> floodedAtArrivals.size() == arrivals);
                    waits.add(floodedAtArrivals.get(i - 1) - before);
                }
                // The gap is measured between two events, because this thread may also be delayed.
                assertThat(waits.stream().sorted().toList().get(12)).isLessThan(100);
            }
            reset(flood);
            flooding.join();
        }
    }

    @Test
    @Timeout(600)
    void shouldServeOtherConnectionsWhileATaskRepeatedlyQueuesItself() throws Exception {
        try (TcpEnds ends = new TcpEnds(io, "num-threads = 1");
                Socket peer = ends.connectRaw()) {
            TcpRecordingHandler receiver = ends.accepted(0);
            Worker worker = receiver.connection().worker();
            AtomicBoolean over = new AtomicBoolean();
            worker.execute(new Runnable() {
                @Override
                public void run() {
                    if (!over.get()) {
                        worker.execute(this);
                    }
                }
            });
            for (int i = 1; i <= 100; i++) {
                peer.getOutputStream().write(new Frames().write(i, bytes("p")).bytes());
                receiver.awaitEvent(arrival(i, bytes("p")));
            }
            over.set(true);
        }
    }

    private static Thread flooding(Socket socket, byte[] frames) {
        Thread flooding = new Thread(() -> {
            try {
                while (true) {
                    socket.getOutputStream().write(frames);
                }
            } catch (IOException e) {
                // The test has ended.
            }
        });
        flooding.start();
        return flooding;
    }

    @Test
    void shouldReportWhenThePeerFinishes() throws Exception {
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            peer.getOutputStream().write(new Frames().write(1, bytes("last")).bytes());
            peer.shutdownOutput();
            ends.accepted(0).awaitEvents(arrival(1, bytes("last")), "finished");
            assertThat(ends.accepted(0).eventsWithEnds()).containsExactly(arrival(1, bytes("last")), "end", "finished");
        }
    }

    @Test
    void shouldFailWhenThePeerClosesWithinAHeader() throws Exception {
        assertThat(failureAfter(new byte[3]))
                .contains("PEER_LOST read from 127.0.0.1:")
                .endsWith("the peer closed the connection in the middle of a frame: 3 of 8 header bytes");
    }

    @Test
    void shouldFailWhenThePeerClosesWithinAPayload() throws Exception {
        assertThat(failureAfter(new Frames().raw(1, 2048, new byte[100]).bytes()))
                .endsWith("the peer closed the connection in the middle of a frame: 100 of 2048 payload bytes");
        assertThat(failureAfter(new Frames().raw(1, 100_000, new byte[70_000]).bytes()))
                .endsWith("70000 of 100000 payload bytes");
        assertThat(failureAfter(
                        new Frames().raw(0, 0x40000000 | 10, new byte[5]).bytes()))
                .endsWith("5 of 10 payload bytes");
    }

    @Test
    void shouldFailWhenThePeerResets() throws Exception {
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            TcpRecordingHandler receiver = ends.accepted(0);
            peer.getOutputStream().write(new Frames().write(1, bytes("before")).bytes());
            receiver.awaitEvents(arrival(1, bytes("before")));
            reset(peer);
            assertThat(receiver.awaitFailure())
                    .startsWith("PEER_LOST read from 127.0.0.1:")
                    .containsIgnoringCase("reset");
            receiver.awaitEvents(arrival(1, bytes("before")), "failed PEER_LOST", "closed");
        }
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Test
    void shouldRefuseReservedKinds() throws Exception {
        assertThat(failureAfter(new Frames().raw(1, 0x80000000, new byte[0]).bytes()))
                .contains("PROTOCOL read from 127.0.0.1:")
                .endsWith("frame has a reserved kind: kind=2");
        assertThat(failureAfter(new Frames().raw(1, 0xc0000001, new byte[1]).bytes()))
                .endsWith("frame has a reserved kind: kind=3");
    }

    @Test
    void shouldRefuseFramesThatAreTooLong() throws Exception {
        assertThat(failureAfter(
                        new Frames().raw(1, LONGEST_WRITE + 1, new byte[0]).bytes()))
                .endsWith("write is too long: length=262145, longest=262144");
        assertThat(failureAfter(new Frames()
                        .raw(0, 0x40000000 | LONGEST_CONTROL + 1, new byte[0])
                        .bytes()))
                .endsWith("control message is too long: length=16385, longest=16384");
    }

    @Test
    void shouldRefuseControlMessagesWithImmediateData() throws Exception {
        assertThat(failureAfter(new Frames().raw(5, 0x40000001, new byte[1]).bytes()))
                .endsWith("control message has immediate data: immediate=5");
    }

    /**
     * Sends a valid frame and the given bytes, and then ends the stream. Returns the reason why the connection failed.
     */
    private String failureAfter(byte[] bytes) throws Exception {
        try (TcpEnds ends = new TcpEnds(io);
                Socket peer = ends.connectRaw()) {
            peer.getOutputStream().write(new Frames().write(1, bytes("good")).bytes());
            peer.getOutputStream().write(bytes);
            peer.shutdownOutput();
            TcpRecordingHandler receiver = ends.accepted(0);
            String failure = receiver.awaitFailure();
            assertThat(receiver.events())
                    .hasSize(3)
                    .startsWith(arrival(1, bytes("good")))
                    .endsWith("closed");
            return failure;
        }
    }

    @Test
    void shouldFailOnlyItsConnectionWhenAHandlerThrows() throws Exception {
        RuntimeException bug = new IllegalArgumentException("a bug");
        try (TcpEnds ends = new TcpEnds(
                        handler -> handler.onArrival(() -> {
                            throw bug;
                        }),
                        io,
                        "num-threads = 1");
                Socket peer = ends.connectRaw();
                Socket other = ends.connectRaw()) {
            peer.getOutputStream()
                    .write(new Frames()
                            .write(1, bytes("a"))
                            .write(2, bytes("b"))
                            .bytes());
            TcpRecordingHandler receiver = ends.accepted(0);
            assertThat(receiver.awaitFailure()).startsWith("PROTOCOL").contains("a bug");
            assertThat(receiver.failure()).hasCause(bug);
            assertThat(receiver.eventsWithEnds())
                    .containsExactly(arrival(1, bytes("a")), "end", "failed PROTOCOL", "closed");

            other.getOutputStream().write(new Frames().control(bytes("alive")).bytes());
            ends.accepted(1).awaitEvents(control(bytes("alive")));
        }
    }

    @Test
    void shouldReceiveTheLongestControlMessage() throws Exception {
        byte[] longest = Frames.payload(LONGEST_CONTROL, 3);
        try (TcpEnds ends = new TcpEnds(io, "stage-length = 1000");
                Socket peer = ends.connectRaw()) {
            peer.getOutputStream()
                    .write(new Frames().control(longest).control(bytes("short")).bytes());
            ends.accepted(0).awaitEvents(control(longest), control(bytes("short")));
        }
    }
}
