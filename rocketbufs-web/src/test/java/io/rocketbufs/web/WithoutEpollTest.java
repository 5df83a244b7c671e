package io.rocketbufs.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.rocketbufs.memory.ChildJvm;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class WithoutEpollTest {
    @Test
    void shouldServeOverNioWhenNativeEpollCannotBeLoaded() throws Exception {
        ChildJvm child = ChildJvm.run(
                ChildJvm.homes().get(0),
                Child.class,
                environment -> environment.put("JDK_JAVA_OPTIONS", "-Dio.netty.transport.noNative=true"));

        assertThat(child.output()).contains("epoll: false\npage: served\ntaken: ADDRESS_IN_USE\n");
        assertThat(child.exitStatus()).isZero();
    }

    /** A program that serves and reads a page, and then tries to listen a second time on the same address. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println("epoll: " + Epoll.isAvailable());
            InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
            try (PageServer server = PageServer.open(
                    "pages",
                    any,
                    "a.port",
                    null,
                    asked -> CompletableFuture.completedFuture(Page.text(200, "served")))) {
                URI page = URI.create("http://127.0.0.1:" + server.address().getPort() + "/");
                try (InputStream in = page.toURL().openStream()) {
                    System.out.print("page: " + new String(in.readAllBytes(), UTF_8));
                }
                listenAgain(server.address());
            }
        }

        private static void listenAgain(InetSocketAddress taken) {
            try (PageServer second = PageServer.open(
                    "pages", taken, "a.port", null, asked -> CompletableFuture.completedFuture(Page.text(200, "")))) {
                System.out.println("two servers at " + second.address());
            } catch (TransportException e) {
                System.out.println("taken: " + e.code());
            }
        }
    }
}
