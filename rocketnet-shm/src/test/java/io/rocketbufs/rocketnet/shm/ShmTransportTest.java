package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportListener;
import java.io.IOException;
import java.lang.ref.Reference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of addresses, sockets and handshakes, including wrong paths, foreign processes and other versions. */
final class ShmTransportTest {
    private static final long LIMIT_S = 60;
    private static final int PORT = 4700;
    private static final int OPEN_FILES = 7;
    private static final TransportAcceptor NONE = connection -> {
        throw new IllegalStateException("no connection is expected");
    };

    private final Transport transport = open("");

    private static Transport open(String keys) {
        return new ShmTransportProvider().open(ShmEnds.config(ConfigFactory.load(), keys));
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private static InetSocketAddress port(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static Path socket(int port) {
        return ShmEnds.directory().resolve(port + ".sock");
    }

    private static Path lock(int port) {
        return ShmEnds.directory().resolve(port + ".lock");
    }

    private static ShmServerSocket listening() throws IOException {
        return ShmServerSocket.open(new ShmDirectory(ShmEnds.directory(), new ShmPeers("")), PORT, 1);
    }

    private static void assertFailure(ThrowingCallable call, Code code, String... parts) {
        assertThatThrownBy(call)
                .satisfies(failure -> assertThat(failure instanceof ExecutionException ? failure.getCause() : failure)
                        .isInstanceOfSatisfying(TransportException.class, cause -> {
                            assertThat(cause.code()).isEqualTo(code);
                            assertThat(cause.getMessage()).contains(parts);
                        }));
    }

    private void assertConnectFailure(InetSocketAddress address, Code code, String... parts) {
        assertFailure(() -> transport.connect(address, NONE).get(LIMIT_S, TimeUnit.SECONDS), code, parts);
    }

    @Test
    void shouldNameTheSocketWhenThereIsNoListener() {
        assertConnectFailure(port(PORT), Code.NO_LISTENER, "no socket " + socket(PORT), "set rocketbufs.shm.directory");
    }

    @Test
    void shouldRefuseAddressesOfOtherMachines() {
        InetSocketAddress other = new InetSocketAddress("192.0.2.1", PORT);
        assertConnectFailure(other, Code.UNREACHABLE, "192.0.2.1:4700", "set rocketbufs.transport = tcp");
        assertFailure(() -> transport.listen(other, NONE), Code.UNREACHABLE, "not an address of this machine");
    }

    @Test
    void shouldRefuseAPortThatIsInUse() {
        try (TransportListener first = transport.listen(port(PORT), NONE)) {
            assertFailure(
                    () -> transport.listen(first.address(), NONE),
                    Code.ADDRESS_IN_USE,
                    "another process listens on " + socket(PORT));
        }
        transport.listen(port(PORT), NONE).close();
        assertThat(socket(PORT)).doesNotExist();
    }

    @Test
    void shouldReplaceTheSocketOfAProcessThatHasEnded() throws IOException {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(socket(PORT)))
                .close();
        assertThat(socket(PORT)).exists();
        transport.listen(port(PORT), NONE).close();
        assertThat(socket(PORT)).doesNotExist();
    }

    @Test
    void shouldNotRemoveAFileThatIsNotASocket() throws IOException {
        Files.writeString(socket(PORT), "precious");
        try {
            assertFailure(() -> transport.listen(port(PORT), NONE), Code.IO, socket(PORT) + " exists and is not");
            assertThat(socket(PORT)).hasContent("precious");
        } finally {
            Files.delete(socket(PORT));
        }
    }

    @Test
    void shouldLeaveNoFilesBehindWhenListeningFails() throws IOException {
        Files.createDirectory(socket(PORT));
        try {
            assertFailure(() -> transport.listen(port(PORT), NONE), Code.IO, "exists and is not a socket");
            assertThat(lock(PORT)).doesNotExist();
        } finally {
            Files.delete(socket(PORT));
        }
    }

    @Test
    void shouldNotRemoveTheSocketOfAListenerThatHasTakenOverThePort() throws IOException {
        ShmServerSocket first = listening();
        // Simulates a program that cleans up /tmp.
        Files.delete(lock(PORT));
        ShmServerSocket second = listening();
        first.close();
        assertThat(socket(PORT)).exists();
        assertThat(lock(PORT)).exists();
        second.close();
        assertThat(socket(PORT)).doesNotExist();
        assertThat(lock(PORT)).doesNotExist();
    }

    @Test
    void shouldProtectTheSocketFromOtherUsersRegardlessOfTheUmask() throws IOException {
        ShmCalls umask = ShmCalls.of("umask");
        long usual = umask.call(0);
        try {
            ShmServerSocket open = listening();
            assertThat(Files.getPosixFilePermissions(socket(PORT)))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            open.close();
        } finally {
            umask.call(usual);
        }
    }

    @Test
    void shouldSendNothingToAListenerOfAnotherUser() throws Exception {
        ShmServerSocket listening = listening();
        CompletableFuture<TransportConnection> result = new CompletableFuture<>();
        ShmWorker worker = (ShmWorker) transport.workers().get(0);
        ShmConnector connector = new ShmConnector(
                ShmSettings.from(ShmEnds.config(ConfigFactory.load(), "")),
                new ShmPeers(ShmPeers.currentUser() + 1, ""),
                worker,
                NONE,
                port(PORT),
                socket(PORT),
                result);
        worker.execute(connector::connect);
        assertFailure(() -> result.get(LIMIT_S, TimeUnit.SECONDS), Code.REFUSED, "may not connect to user");
        ShmSocket accepted = listening.socket().accept();
        assertThat(accepted.receive(ShmCalls.block(ShmGreeting.MAX_LENGTH))).isEqualTo(new ShmSocket.Packet(0, -1));
        accepted.close();
        listening.close();
    }

    @Test
    void shouldNameASocketOfAnotherProgram() throws IOException {
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(socket(PORT)));
            assertConnectFailure(port(PORT), Code.PROTOCOL, socket(PORT) + " belongs to another program");
        } finally {
            Files.delete(socket(PORT));
        }
    }

    @Test
    void shouldReportATimeoutWhenTheListenerIsStopped() throws Exception {
        ShmServerSocket silent = listening();
        try (Transport hasty = open("connect-timeout = 50 ms")) {
            assertFailure(
                    () -> hasty.connect(port(PORT), NONE).get(LIMIT_S, TimeUnit.SECONDS),
                    Code.TIMEOUT,
                    "no answer within 50 ms");
        } finally {
            silent.close();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | 262144 | has version 1 of the shm transport, but this side has version 2",
                "2 | 12345 | invalid channel length: length=12345",
                "2 | -1 | invalid channel length: length=-1",
                "2 | 262144 | the memory is not sealed"
            })
    void shouldTellAPeerWhyItIsRefused(int version, int channelLength, String reason) throws Exception {
        try (TransportListener listener = transport.listen(port(0), NONE)) {
            ShmSocket peer = ShmSocket.open();
            peer.connect(socket(listener.address().getPort()).toString());
            // The descriptor refers to a socket instead of memory.
            peer.send(new ShmGreeting(version, channelLength, 0, null).encode(), peer.descriptor());
            assertThat(answer(peer).refusal()).contains(reason);
            peer.close();
        }
    }

    @Test
    void shouldNameTheVersionOfAListenerOfAnotherRelease() throws Exception {
        ShmServerSocket listening = listening();
        CompletableFuture<TransportConnection> result = transport.connect(port(PORT), NONE);
        ShmSocket accepted = Awaitility.await()
                .atMost(LIMIT_S, TimeUnit.SECONDS)
                .until(() -> listening.socket().accept(), found -> found != null);
        accepted.send(new ShmGreeting(99, ShmLayout.SHORTEST_CHANNEL, 1, null).encode(), -1);
        assertFailure(
                () -> result.get(LIMIT_S, TimeUnit.SECONDS),
                Code.PROTOCOL,
                "has version 99 of the shm transport, but this side has version 2",
                "use the same release of RocketBufs on both sides");
        accepted.close();
        listening.close();
    }

    @Test
    void shouldRefuseAPeerThatSendsNoGreeting() throws Exception {
        try (TransportListener listener = transport.listen(port(0), NONE)) {
            ShmSocket peer = ShmSocket.open();
            peer.connect(socket(listener.address().getPort()).toString());
            ByteBuffer nonsense = ShmCalls.block(64);
            peer.send(nonsense, -1);
            assertThat(answer(peer).refusal()).contains("does not use the shm transport");
            peer.close();
        }
    }

    private static ShmGreeting answer(ShmSocket peer) throws ShmException {
        ByteBuffer packet = ShmCalls.block(ShmGreeting.MAX_LENGTH);
        ShmSocket.Packet received = Awaitility.await()
                .atMost(LIMIT_S, TimeUnit.SECONDS)
                .until(() -> peer.receive(packet), found -> found != null);
        return ShmGreeting.decode(packet, received.length());
    }

    @Test
    void shouldNameTheLimitWhenThereIsNoDescriptorForThePeersMemory() throws Exception {
        ShmServerSocket listening = listening();
        ShmSocket peer = ShmSocket.open();
        peer.connect(socket(PORT).toString());
        ShmSocket accepted = listening.socket().accept();
        peer.send(ShmGreeting.accepting(ShmLayout.SHORTEST_CHANNEL, 0).encode(), peer.descriptor());
        Exception failure = receiveWithoutDescriptors(accepted);
        accepted.close();
        peer.close();
        listening.close();
        assertThat(failure).isNotNull();
        assertThat(ShmFailures.text(failure)).contains("Too many open files", "raise the limit on open files");
    }

    /** Receives a packet while this process cannot open any descriptors. Returns the exception. */
    private static Exception receiveWithoutDescriptors(ShmSocket socket) throws ShmException {
        ByteBuffer packet = ShmCalls.block(ShmGreeting.MAX_LENGTH);
        ShmCalls dup = ShmCalls.of("dup");
        int free = dup.check(dup.call(socket.descriptor()));
        ShmSocket.closeDescriptor(free);
        ByteBuffer limit = ShmCalls.block(2 * Long.BYTES);
        ShmCalls.of("getrlimit").call(OPEN_FILES, ShmCalls.address(limit));
        long usual = limit.getLong(0);
        ShmCalls set = ShmCalls.of("setrlimit");
        set.call(OPEN_FILES, ShmCalls.address(limit.putLong(0, free)));
        try {
            socket.receive(packet);
            return null;
        } catch (ShmException e) {
            return e;
        } finally {
            set.call(OPEN_FILES, ShmCalls.address(limit.putLong(0, usual)));
        }
    }

    @Test
    void shouldTellAPeerThatItHasSentNoMemory() throws Exception {
        try (TransportListener listener = transport.listen(port(0), NONE)) {
            ShmSocket peer = ShmSocket.open();
            peer.connect(socket(listener.address().getPort()).toString());
            peer.send(ShmGreeting.accepting(ShmLayout.SHORTEST_CHANNEL, 0).encode(), -1);
            assertThat(answer(peer).refusal()).contains("exactly one descriptor must accompany");
            peer.close();
        }
    }

    @Test
    void shouldCloseAllDescriptorsOfAPeerThatSendsTooMany() throws Exception {
        try (TransportListener listener = transport.listen(port(0), NONE)) {
            long before = ShmEnds.descriptors();
            ShmSocket peer = ShmSocket.open();
            peer.connect(socket(listener.address().getPort()).toString());
            sendWithTwoDescriptors(
                    peer, ShmGreeting.accepting(ShmLayout.SHORTEST_CHANNEL, 0).encode());
            assertThat(answer(peer).refusal()).contains("exactly one descriptor must accompany the greeting");
            peer.close();
            Awaitility.await().atMost(LIMIT_S, TimeUnit.SECONDS).until(() -> ShmEnds.descriptors() <= before);
        }
    }

    private static void sendWithTwoDescriptors(ShmSocket peer, ByteBuffer greeting) throws ShmException {
        ByteBuffer message = ShmCalls.block(96);
        long address = ShmCalls.address(message);
        message.putLong(16, address + 56).putLong(24, 1).putLong(32, address + 72);
        message.putLong(40, 24).putLong(56, ShmCalls.address(greeting)).putLong(64, greeting.capacity());
        message.putLong(72, 24).putInt(80, 1).putInt(84, 1);
        message.putInt(88, peer.descriptor()).putInt(92, peer.descriptor());
        ShmCalls sendmsg = ShmCalls.of("sendmsg");
        sendmsg.check(sendmsg.call(peer.descriptor(), address, 0));
        Reference.reachabilityFence(message);
        Reference.reachabilityFence(greeting);
    }

    @Test
    void shouldNameTheLimitWhenTooManyDescriptorsAreOnTheirWay() {
        ShmException cause = ShmCalls.of("sendmsg").failure(109);
        TransportException failure = ShmFailures.connect(port(PORT), socket(PORT), cause);
        assertThat(failure).hasMessageContaining("raise the limit on open files");
        assertThat(failure.code()).isEqualTo(Code.RESOURCES);
    }

    @Test
    void shouldNameTheRemedyWhenThereIsNoMemoryForAConnection() {
        ShmException cause = ShmCalls.of("fallocate").failure(ShmCalls.ENOSPC);
        TransportException failure = ShmFailures.connect(port(PORT), socket(PORT), cause);
        assertThat(failure)
                .hasMessageContaining("No space left on device")
                .hasMessageContaining("raise the limit on memory")
                .hasMessageContaining("or lower rocketbufs.shm.channel-length");
        assertThat(failure.code()).isEqualTo(Code.RESOURCES);
    }

    @Test
    void shouldCloseAllDescriptorsOfRefusedPeers() throws Exception {
        try (TransportListener listener = transport.listen(port(0), NONE)) {
            long before = ShmEnds.descriptors();
            for (int i = 0; i < 10; i++) {
                ShmSocket peer = ShmSocket.open();
                peer.connect(socket(listener.address().getPort()).toString());
                int memory = ShmMemory.create(ShmLayout.SHORTEST_CHANNEL);
                peer.send(new ShmGreeting(99, ShmLayout.SHORTEST_CHANNEL, 0, null).encode(), memory);
                ShmSocket.closeDescriptor(memory);
                answer(peer);
                peer.close();
            }
            Awaitility.await().atMost(LIMIT_S, TimeUnit.SECONDS).until(() -> ShmEnds.descriptors() <= before);
        }
    }
}
