package io.rocketbufs.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A server's page in a browser tab. The tab's requests and messages are recorded. */
public final class BrowserPage implements AutoCloseable {
    private final Path pictures;
    private final String authority;
    private final Chromium.Tab tab;

    /**
     * Opens the page.
     *
     * @param page the page's address, which may contain a user and password
     * @param pictures folder for screenshots
     */
    public BrowserPage(Chromium chromium, URI page, Path pictures) {
        this.pictures = pictures;
        authority = page.getHost() + ":" + page.getPort();
        tab = chromium.open(URI.create("about:blank"));
        for (String domain : List.of("Network", "Log", "Runtime", "Page")) {
            tab.call(domain + ".enable", "{}");
        }
        show(1280, 900, "light");
        tab.call("Page.navigate", "{\"url\":\"" + page + "\"}");
    }

    /** Sets the size of the window and the user's preferred colour scheme. */
    public void show(int width, int height, String scheme) {
        tab.call(
                "Emulation.setDeviceMetricsOverride",
                "{\"width\":" + width + ",\"height\":" + height + ",\"deviceScaleFactor\":1,\"mobile\":" + (width < 500)
                        + "}");
        tab.call(
                "Emulation.setEmulatedMedia",
                "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"" + scheme + "\"}]}");
    }

    /** Saves a screenshot of the page. */
    public void picture(String name, int width, int height, String scheme) throws IOException {
        show(width, height, scheme);
        // The browser has drawn the page once two frames have begun.
        evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
        Files.write(pictures.resolve(name + ".png"), tab.screenshot());
    }

    /** Evaluates an expression that must not fail. */
    public Config evaluate(String expression) {
        Config answer = tab.evaluate(expression);
        assertThat(answer.hasPath("exceptionDetails"))
                .as(expression + ": " + answer)
                .isFalse();
        return answer;
    }

    /** Returns the value of an expression. */
    public <T> T value(String expression, Class<T> type) {
        evaluate(expression);
        return tab.value(expression, type);
    }

    /** Returns the text of the first element that matches the selector. */
    public String text(String selector) {
        return value("document.querySelector('" + selector + "').textContent", String.class);
    }

    /** Waits until an expression is true. Runs {@code meanwhile} before each attempt. */
    public void await(String expression, Runnable meanwhile) {
        org.awaitility.Awaitility.await(expression)
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    meanwhile.run();
                    return tab.evaluate("document.readyState === 'complete' && Boolean(" + expression + ")")
                            .getConfig("result")
                            .getAnyRef("value")
                            .equals(true);
                });
    }

    /** Moves the mouse pointer to the centre of an element. */
    public void point(String selector) {
        String box = "document.querySelector('" + selector + "').getBoundingClientRect()";
        int x = (int) Math.round(number("(" + box + ".left + " + box + ".right) / 2"));
        int y = (int) Math.round(number("(" + box + ".top + " + box + ".bottom) / 2"));
        tab.call("Input.dispatchMouseEvent", "{\"type\":\"mouseMoved\",\"x\":" + x + ",\"y\":" + y + "}");
    }

    private double number(String expression) {
        return value(expression, Number.class).doubleValue();
    }

    /** Returns the number of requests so far. */
    public int requestCount() {
        return tab.events("Network.requestWillBeSent").size();
    }

    /** Checks that the page does not scroll sideways at its current width. */
    public void assertFitsInto(int width) {
        assertThat(value("document.documentElement.scrollWidth", Integer.class)).isLessThanOrEqualTo(width);
    }

    /** Checks that the browser has reported only the allowed messages, and no requests to other hosts. */
    public void assertQuiet(String... allowed) {
        List<String> reports = tab.events("Log.entryAdded").stream()
                .map(event -> event.getString("entry.text"))
                .filter(text -> List.of(allowed).stream().noneMatch(text::contains))
                .toList();
        assertThat(reports).isEmpty();
        assertThat(tab.events("Runtime.consoleAPICalled")).isEmpty();
        assertThat(tab.events("Runtime.exceptionThrown")).isEmpty();
        assertThat(tab.events("Network.requestWillBeSent"))
                .hasSizeGreaterThan(10)
                .allSatisfy(event -> {
                    URI url = URI.create(event.getString("request.url"));
                    assertThat(url.getHost() + ":" + url.getPort()).isEqualTo(authority);
                });
    }

    /** Closes the tab. */
    @Override
    public void close() {
        tab.close();
    }
}
