package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Reach;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rules that determine whether a listener is reachable through shared memory. */
@Timeout(600)
final class ShmPlaceTest {
    private static final InetSocketAddress CONTACTED = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7610);

    private final ShmTransportProvider provider = new ShmTransportProvider();
    private final Config config = ShmEnds.config(ConfigFactory.load(), "");
    private final Transport transport = provider.open(config);
    private final TransportListener listener =
            transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), connection -> {
                throw new IllegalStateException("no connection is expected");
            });

    @TempDir
    private Path other;

    @AfterEach
    void close() {
        listener.close();
        transport.close();
    }

    private void assertNoRoute(String place, Config own, String... reasons) {
        assertThatThrownBy(() -> provider.route(place, CONTACTED, own))
                .isInstanceOf(TransportException.class)
                .hasMessageContainingAll(reasons);
    }

    private Config in(Path directory) {
        return ConfigFactory.parseString("rocketbufs.shm.directory = \"" + directory + "\"")
                .withFallback(config);
    }

    @Test
    void shouldReturnARouteToAListenerOnThisMachine() {
        assertThat(provider.route(listener.place(), CONTACTED, config)).isEqualTo(listener.address());
        assertThat(provider.reach(config)).isEqualTo(Reach.MACHINE);
    }

    @Test
    void shouldReturnNoRouteToAMachineWithADifferentBootId() {
        ShmPlace place = ShmPlace.parse(listener.place());
        ShmPlace elsewhere =
                new ShmPlace("8c5e6a3e-0000-0000-0000-000000000000", place.port(), place.file(), place.directory());
        assertNoRoute(elsewhere.toString(), config, "the peer runs on another machine");
    }

    @Test
    void shouldNameBothDirectoriesWhenTheyDiffer() {
        assertNoRoute(
                listener.place(),
                in(other),
                "the peer's sockets are in " + ShmEnds.directory() + ", but this process looks for them in " + other
                        + "; set rocketbufs.shm.directory to the same directory on both sides");
    }

    @Test
    void shouldNotMistakeTheSocketOfAnotherListenerForThatOfThePeer() throws IOException {
        // Simulates a container whose directory has the same path.
        Files.createFile(other.resolve(listener.address().getPort() + ".sock"));
        assertNoRoute(
                listener.place(), in(other), "is not the peer's socket, which is in another " + ShmEnds.directory());
    }

    @Test
    void shouldNameTheRemedyWhenThePathLeadsToAnotherDirectory() throws IOException {
        String place = listener.place();
        Path socket = ShmEnds.directory().resolve(listener.address().getPort() + ".sock");
        Path hidden = Files.move(socket, other.resolve("hidden"));
        try {
            assertNoRoute(place, config, "there is no socket " + socket + ": ", "mount the same directory into");
            Files.createFile(socket);
            assertNoRoute(place, config, socket + " is not the peer's socket", "mount the same directory into");
        } finally {
            Files.move(hidden, socket, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Test
    void shouldReportThatTheListenerIsGone() {
        String place = listener.place();
        int port = listener.address().getPort();
        listener.close();
        assertNoRoute(
                place,
                config,
                "there is no socket " + ShmEnds.directory().resolve(port + ".sock")
                        + ": the peer no longer listens, or");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "x", "a 1 b", "a x b c", "a 0 b c", "a 65536 b c", "a 999999 b c", "a -1 b c", "a 1  "})
    void shouldRefuseMalformedPlaces(String text) {
        assertThatThrownBy(() -> provider.route(text, CONTACTED, config)).isInstanceOf(TransportException.class);
    }

    @Test
    void shouldKeepSpacesInTheDirectory() {
        ShmPlace place = new ShmPlace("boot", 1, "2:3", "/a b/c");
        assertThat(ShmPlace.parse(place.toString())).isEqualTo(place);
    }

    @Test
    void shouldLeaveNoFilesBehind() {
        int port = listener.address().getPort();
        listener.close();
        assertThat(ShmEnds.directory().resolve(port + ".sock")).doesNotExist();
        assertThat(ShmEnds.directory().resolve(port + ".lock")).doesNotExist();
    }

    @Test
    void shouldNeverOpenTwoListenersOnOnePortWhileLocksAreRemoved() throws Exception {
        ShmDirectory directory = ShmTransport.directory(ShmSettings.from(config));
        int port = 4701;
        AtomicBoolean owned = new AtomicBoolean();
        Runnable competitor = () -> {
            for (int i = 0; i < 500; i++) {
                try {
                    ShmServerSocket socket = ShmServerSocket.open(directory, port, 1);
                    if (socket != null) {
                        assertThat(owned.compareAndSet(false, true)).isTrue();
                        assertThat(owned.compareAndSet(true, false)).isTrue();
                        socket.close();
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
        };
        CompletableFuture<Void> rival = CompletableFuture.runAsync(competitor);
        competitor.run();
        rival.get();
    }
}
