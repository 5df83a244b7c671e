package io.rocketbufs.livestream.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.rocketbufs.livestream.page.OperatorPages;
import io.rocketbufs.livestream.page.PageWatch;
import io.rocketbufs.livestream.page.ServerFacts;
import io.rocketbufs.livestream.page.ServerIdentity;
import io.rocketbufs.web.OperatorAccess;
import io.rocketbufs.web.PageThreads;
import io.rocketbufs.web.WorkerCheck;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class ViewerConnectionTest {
    private static final int PAGE_THREADS = 8;

    private final CompletableFuture<List<String>> answer = new CompletableFuture<>();
    private final EdgeStreams streams = new EdgeStreams();
    private final EdgePages pages =
            new EdgePages(streams, () -> true, new WorkerCheck(timeoutMs -> answer.join()), null);
    private final OperatorPages operators = new OperatorPages(
            new ServerIdentity("edge", "viewers", 0, List::of),
            new PageWatch(() -> new ServerFacts(null, List.of(), List.of(), 0, 0, 0)),
            Map::of);
    private final PageThreads pageThreads = new PageThreads("pages");

    @AfterEach
    void close() {
        answer.complete(List.of());
        pageThreads.close();
    }

    @Test
    void shouldServeTheOtherPagesWhileHealthChecksWait() {
        for (int i = 0; i < PAGE_THREADS; i++) {
            assertThat(answerTo("/health/live")).isNull();
        }

        assertThat(answerTo("/").status().code()).isEqualTo(200);
        assertThat(answerTo("/api/streams").status().code()).isEqualTo(200);
        assertThat(answerTo("/web/hls.min.js").status().code()).isEqualTo(200);
        assertThat(answerTo("/nothing").status().code()).isEqualTo(404);
    }

    @Test
    void shouldServeThePageForOperatorsHoweverManyHealthChecksWaitForAWorker() {
        for (int i = 0; i < 3 * PAGE_THREADS; i++) {
            assertThat(answerTo("/health/live")).isNull();
        }
        EmbeddedChannel operator = request("/admin/");
        await().untilAsserted(() -> {
            operator.runPendingTasks();
            HttpResponse page = operator.readOutbound();
            assertThat(page).isNotNull();
            assertThat(page.status().code()).isEqualTo(200);
        });
    }

    /**
     * Returns the response that a new connection sends without waiting for another thread, or null if there is none.
     */
    private HttpResponse answerTo(String path) {
        return request(path).readOutbound();
    }

    private EmbeddedChannel request(String path) {
        EmbeddedChannel channel = new EmbeddedChannel(new ViewerConnection(
                streams,
                pages,
                operators,
                ConcurrentHashMap.newKeySet(),
                pageThreads,
                new OperatorAccess("", "a.token", "/admin/", restricted -> false),
                new EdgeCounters(),
                new WriteGate()));
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
        request.headers().set(HttpHeaderNames.HOST, "h");
        channel.writeInbound(request);
        return channel;
    }
}
