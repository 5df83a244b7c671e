package io.rocketbufs.livestream.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.bench.EmulatedChunk;
import io.rocketbufs.livestream.edge.Edge;
import io.rocketbufs.web.BrowserPage;
import io.rocketbufs.web.Chromium;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the operator pages of relay and edge in a real browser, including their security policy. They also save
 * screenshots.
 */
@Tag("once")
@Timeout(600)
final class OperatorPageSystemTest {
    private static final Path PICTURES = Path.of("target", "page");
    private static final int CHUNK_LENGTH = 188 * 8000;
    /** Keeps streams from ending while a slow machine opens a browser tab. */
    private static final String ENDLESS = "livestream.ingest.source-timeout = 10 m";

    @TempDir(cleanup = CleanupMode.NEVER) // remaining Chromium processes may still be writing to the directory
    static File profile;

    private static Chromium chromium;

    private int chunkCount;

    @BeforeAll
    static void startBrowser() throws IOException {
        Files.createDirectories(PICTURES);
        chromium = new Chromium(profile);
    }

    @AfterAll
    static void closeBrowser() {
        chromium.close();
    }

    private void push(InetSocketAddress ingest, String stream) {
        byte[] chunk = EmulatedChunk.make(stream.hashCode(), chunkCount, CHUNK_LENGTH, 2000);
        assertThat(Https.put(ingest, "/ingest/" + stream + "/i" + chunkCount++ + ".ts", chunk)
                        .statusCode())
                .isEqualTo(200);
    }

    private static BrowserPage open(Running running, InetSocketAddress server, String path) {
        return running.opened(new BrowserPage(chromium, Https.uri(server, path), PICTURES));
    }

    private static String apiOf(InetSocketAddress server, String resource) {
        return Https.text(server, "/admin/api/" + resource);
    }

    @Test
    void shouldNameAnEdgeThatStops() throws IOException {
        try (Running running = new Running("tcp", "rocketbufs.heartbeat-timeout = 10 m, " + ENDLESS)) {
            FaultProxy proxy = running.opened(new FaultProxy(running.relay().address()));
            Edge well = running.edge();
            Edge stopped = running.edgeOf(proxy.address());
            AwaitConnected.of(well, stopped);
            push(running.ingest(), "cam");
            Emulated.awaitFiles(stopped.address(), "cam", 1);
            BrowserPage page = open(running, running.ingest(), "/");
            page.await("document.getElementById('state').textContent === 'ready'", () -> {});
            page.await("document.getElementById('peers-count').textContent === '2'", () -> {});
            page.await("document.querySelector('#streams .open')?.textContent === 'cam'", () -> {});
            page.await("document.querySelector('#traffic canvas') !== null", () -> {});
            page.await("document.querySelector('#slow .none') !== null", () -> {});

            proxy.freeze();
            page.await(
                    "document.getElementById('slow').textContent.includes('has received nothing for')",
                    () -> push(running.ingest(), "cam"));
            String named = page.text("#slow .open");
            assertThat(apiOf(running.ingest(), "edges?sort=stalled&limit=1"))
                    .contains("\"total\":2", "\"address\":\"" + named + "\"", "\"isSlow\":true");
            assertThat(page.text("#slow")).contains("Edge " + named, "wait");
            page.await("document.querySelector('#peers tr.slow .open')?.textContent === '" + named + "'", () -> {});
            page.evaluate("document.querySelector('#slow .open').click()");
            page.await("document.querySelector('#peers .details dd') !== null", () -> {});
            page.picture("relay-light", 1280, 900, "light");
            page.picture("relay-dark", 1280, 900, "dark");
            page.picture("relay-narrow", 390, 844, "light");
            page.assertFitsInto(390);

            proxy.thaw();
            page.await("document.querySelector('#slow .none') !== null", () -> {});
            page.assertQuiet();
        }
    }

    @Test
    void shouldNameAViewerThatStops() throws IOException {
        try (Running running = new Running("tcp", "livestream.edge.idle-timeout = 10 m, " + ENDLESS)) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            push(running.ingest(), "cam");
            Emulated.awaitFiles(edge.address(), "cam", 1);
            BrowserPage page = open(running, edge.address(), "/admin/");
            page.await("document.getElementById('state').textContent === 'ready'", () -> {});
            page.await("document.querySelector('#streams .open')?.textContent === 'cam'", () -> {});
            page.await("document.querySelector('#slow .none') !== null", () -> {});

            HttpSocket viewer = running.opened(new HttpSocket(edge.address()));
            String file = Emulated.files(edge.address(), "cam").get(0);
            viewer.get("/live/cam/" + file);
            String address = "127.0.0.1:" + viewer.localPort();
            page.await("document.querySelector('#slow .open')?.textContent === '" + address + "'", () -> {});
            assertThat(page.text("#slow")).contains("Viewer " + address + " of cam has received nothing for", "wait");
            page.await("document.querySelector('#peers tr.slow .open')?.textContent === '" + address + "'", () -> {});
            page.evaluate("document.querySelectorAll('#slow .open')[1].click()");
            page.await("document.querySelector('#streams .details dd') !== null", () -> {});
            page.picture("edge-light", 1280, 900, "light");
            page.picture("edge-narrow", 390, 844, "dark");
            page.assertFitsInto(390);

            viewer.close();
            page.await("document.querySelector('#slow .none') !== null", () -> {});
            page.assertQuiet();
        }
    }

    @Test
    void shouldAskABrowserForTheToken() throws IOException {
        try (Running running = new Running("tcp", "livestream.metrics.token = secret")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            for (InetSocketAddress server : new InetSocketAddress[] {edge.address(), running.ingest()}) {
                for (String path : new String[] {"/admin/", "/admin", "/admin/api/status", "/admin/web/main.js"}) {
                    HttpResponse<byte[]> refused = Https.get(server, path);
                    assertThat(refused.statusCode()).as(path).isEqualTo(401);
                    assertThat(refused.headers().firstValue("WWW-Authenticate").orElseThrow())
                            .as(path)
                            .startsWith("Basic ");
                }
                URI page = URI.create("https://ops:secret@127.0.0.1:" + server.getPort() + "/admin/");
                BrowserPage signedIn = running.opened(new BrowserPage(chromium, page, PICTURES));
                signedIn.await("document.getElementById('state').textContent === 'ready'", () -> {});
                signedIn.assertQuiet();
            }
            // The viewer pages do not require a token.
            assertThat(Https.text(edge.address(), "/")).contains("<title>Streams</title>");
        }
    }

    @Test
    void shouldAnswerWhileOtherRequestsAreHalfSent() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            for (InetSocketAddress server : new InetSocketAddress[] {edge.address(), running.ingest()}) {
                for (int i = 0; i < 20; i++) {
                    running.opened(new HttpSocket(server)).write("GET /admin/api/status HTTP/1.1\r\nHost: local");
                }
                assertThat(apiOf(server, "status")).contains("\"slowCount\":0");
            }
        }
    }

    @Test
    void shouldProtectThePageFromOtherSites() {
        try (Running running = new Running("tcp")) {
            HttpResponse<byte[]> page = Https.get(running.ingest(), "/admin/");
            assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .startsWith("default-src 'none'; script-src 'self'");
            assertThat(Https.get(running.ingest(), "/admin/api/status", "Sec-Fetch-Site", "cross-site")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(Https.get(running.ingest(), "/admin/api/streams?sort=nothing")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(Https.get(running.ingest(), "/admin/nothing").statusCode())
                    .isEqualTo(404);
            assertThat(Https.get(running.ingest(), "/").headers().firstValue("Location"))
                    .contains("/admin/");
        }
    }

    @Test
    void shouldRefuseRequestsOfOtherSitesAlthoughTheBrowserAddsThePassword() {
        String password = "Basic " + Base64.getEncoder().encodeToString("ops:secret".getBytes(StandardCharsets.UTF_8));
        try (Running running = new Running("tcp", "livestream.metrics.token = secret")) {
            for (InetSocketAddress server :
                    new InetSocketAddress[] {running.edge().address(), running.ingest()}) {
                for (String path : new String[] {"/metrics", "/admin/api/status"}) {
                    assertThat(Https.get(server, path, "Authorization", password)
                                    .statusCode())
                            .as(path)
                            .isEqualTo(200);
                    HttpResponse<byte[]> refused =
                            Https.get(server, path, "Authorization", password, "Sec-Fetch-Site", "cross-site");
                    assertThat(refused.statusCode()).as(path).isEqualTo(403);
                    assertThat(refused.headers().firstValue("Cross-Origin-Resource-Policy"))
                            .as(path)
                            .contains("same-origin");
                }
            }
        }
    }
}
