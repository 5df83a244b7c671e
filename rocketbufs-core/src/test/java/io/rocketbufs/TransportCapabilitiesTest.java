package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of transports that report incorrect capabilities, or fail to report any. */
@Timeout(600)
final class TransportCapabilitiesTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress("127.0.0.1", 0);

    @TempDir
    Path folder;

    @Test
    void shouldRefuseAConnectionThatOffersLessThanItsTransport() {
        try (LoopbackNetwork wide = new LoopbackNetwork(LoopbackOptions.oneSided());
                LoopbackNetwork narrow =
                        new LoopbackNetwork(LoopbackOptions.oneSided().immediateBits(16))) {
            Capabilities claimed = wide.transport("wide").capabilities();
            Transport transport = answering(narrow.transport("mixed"), () -> claimed);
            try (RocketBufs rocketBufs = RocketBufs.open(ConfigFactory.load(), transport);
                    Listener listener = new Listener(rocketBufs, ANY_PORT, "mixed")) {
                assertThatThrownBy(() -> rocketBufs
                                .connect(
                                        listener.address(),
                                        ConnectOptions.as(Role.SUBSCRIBER, connection -> {})
                                                .over("mixed"))
                                .get(60, TimeUnit.SECONDS))
                        .hasRootCauseInstanceOf(TransportException.class)
                        .rootCause()
                        .hasMessageContaining("transport \"mixed\" offers immediateBits=16");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, NoClassDefFoundError.class, TransportException.class})
    void shouldCloseAnInstalledTransportThatFailsToReportItsCapabilities(Class<? extends Throwable> type)
            throws Exception {
        Throwable failure = type == TransportException.class
                ? new TransportException(TransportException.Code.UNAVAILABLE, "no device")
                : type.getConstructor(String.class).newInstance("no device");
        ThreadLocalProvider.failure.set(failure);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader installed = installing(ThreadLocalProvider.class, before);
                RocketBufs rocketBufs = RocketBufs.open(ConfigFactory.load())) {
            Thread.currentThread().setContextClassLoader(installed);
            ConnectOptions options =
                    ConnectOptions.as(Role.SUBSCRIBER, connection -> {}).over(ThreadLocalProvider.NAME);

            assertThatThrownBy(() -> rocketBufs.connect(ANY_PORT, options)).isSameAs(failure);
            assertThat(ThreadLocalProvider.closed.get()).isTrue();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            ThreadLocalProvider.failure.remove();
            ThreadLocalProvider.closed.remove();
        }
    }

    private URLClassLoader installing(Class<?> provider, ClassLoader parent) throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(TransportProvider.class.getName()), provider.getName());
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, parent);
    }

    /** Returns a transport that delegates all calls except {@link Transport#capabilities}. */
    private static Transport answering(Transport transport, Supplier<Capabilities> answer) {
        return (Transport) Proxy.newProxyInstance(
                Transport.class.getClassLoader(), new Class<?>[] {Transport.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("capabilities")) {
                        return answer.get();
                    }
                    try {
                        return method.invoke(transport, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /**
     * A provider of transports whose {@code capabilities} method throws the exception that the test's thread has set.
     */
    public static final class ThreadLocalProvider implements TransportProvider {
        static final String NAME = "faulty";
        static final ThreadLocal<Throwable> failure = new ThreadLocal<>();
        static final ThreadLocal<Boolean> closed = ThreadLocal.withInitial(() -> false);

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Transport open(Config config) {
            return (Transport) Proxy.newProxyInstance(
                    Transport.class.getClassLoader(), new Class<?>[] {Transport.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            closed.set(true);
                            return null;
                        }
                        throw failure.get();
                    });
        }
    }
}
