package io.rocketbufs.livestream.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class OperatorPagesTest {
    private boolean isReadable;
    private final PageWatch watch = new PageWatch(() -> {
        if (!isReadable) {
            throw new IllegalStateException("the counters cannot be read");
        }
        return new ServerFacts(null, List.of(), List.of(), 0, 0, 0);
    });
    private final OperatorPages pages =
            new OperatorPages(new ServerIdentity("relay", "edges", 0, List::of), watch, Map::of);

    private Page get(String path) {
        return pages.page(new PageRequest(false, OperatorPages.PATH + path, "", Map.of()));
    }

    @Test
    void shouldSayThatThereAreNoCountersYet() {
        for (String path : List.of("api/status", "api/history", "api/streams", "api/edges")) {
            assertThat(get(path).status()).as(path).isEqualTo(503);
            assertThat(new String(get(path).body(), StandardCharsets.UTF_8)).contains("could not be read yet");
        }
        assertThat(get("").status()).isEqualTo(200);
        isReadable = true;
        watch.read(1);
        assertThat(get("api/status").status()).isEqualTo(200);
    }
}
