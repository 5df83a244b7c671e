package io.rocketbufs.web;

import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionTimeoutException;

/** A headless browser for tests, controlled over its DevTools protocol. */
public final class Chromium implements AutoCloseable {
    private static final long LIMIT_S = 150;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process process;
    private final int port;
    private final Tab browser;

    /**
     * Starts the browser.
     *
     * @param profile empty folder for the browser's profile. The browser's last processes may still write to it after
     *     the browser has been closed
     */
    public Chromium(File profile) {
        try {
            List<String> command = new ArrayList<>(List.of(
                    "chromium",
                    "--headless=new",
                    "--no-sandbox", // containers do not provide user namespaces
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--mute-audio",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--disable-background-timer-throttling",
                    "--disable-renderer-backgrounding",
                    "--disable-backgrounding-occluded-windows",
                    "--disable-background-media-suspend",
                    "--autoplay-policy=no-user-gesture-required",
                    "--ignore-certificate-errors",
                    "--window-size=1000,800",
                    "--remote-debugging-port=0",
                    "--user-data-dir=" + profile,
                    "about:blank"));
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(new File(profile, "chromium.txt"))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "chromium is needed: apt-get install -y --no-install-recommends chromium", e);
        }
        List<String> told = awaitDevTools(profile.toPath().resolve("DevToolsActivePort"));
        port = Integer.parseInt(told.get(0));
        browser = new Tab("", URI.create("ws://127.0.0.1:" + port + told.get(1)));
    }

    /**
     * Waits until the browser has written its port and path to a file. Ends the browser if it does not write them in
     * time.
     */
    private List<String> awaitDevTools(Path file) {
        try {
            await().atMost(Duration.ofSeconds(LIMIT_S))
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> Files.exists(file) && Files.readAllLines(file).size() == 2);
            return Files.readAllLines(file);
        } catch (ConditionTimeoutException e) {
            close();
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a page in a new window, because the browser may suspend a page that another page covers. */
    public Tab open(URI page) {
        String id = browser.call(
                        "Target.createTarget", "{\"url\":\"" + page + "\",\"newWindow\":true,\"background\":false}")
                .getString("targetId");
        return new Tab(id, URI.create("ws://127.0.0.1:" + port + "/devtools/page/" + id));
    }

    private static Config json(String text) {
        return ConfigFactory.parseString(text, ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
    }

    /** A page, or the browser itself. */
    public final class Tab implements AutoCloseable {
        private final String id;
        private final Map<Integer, CompletableFuture<Config>> waiting = new ConcurrentHashMap<>();
        private final List<Config> events = new CopyOnWriteArrayList<>();
        private final AtomicInteger ids = new AtomicInteger();
        private final WebSocket socket;

        Tab(String id, URI debugger) {
            this.id = id;
            socket = client.newWebSocketBuilder()
                    .buildAsync(debugger, new Answers())
                    .join();
        }

        /** Evaluates an expression and returns the response. If the value is a promise, waits for its result. */
        public Config evaluate(String expression) {
            String escaped =
                    expression.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ");
            return call(
                    "Runtime.evaluate",
                    "{\"expression\":\"" + escaped + "\",\"returnByValue\":true,\"awaitPromise\":true}");
        }

        /** Returns the value of an expression. */
        public <T> T value(String expression, Class<T> type) {
            return type.cast(evaluate(expression).getConfig("result").getAnyRef("value"));
        }

        /** Returns a screenshot of the page as PNG. */
        public byte[] screenshot() {
            return Base64.getDecoder()
                    .decode(call("Page.captureScreenshot", "{\"format\":\"png\"}")
                            .getString("data"));
        }

        /** Returns the parameters of all events of one kind so far. The events' domain must be enabled. */
        public List<Config> events(String method) {
            return events.stream()
                    .filter(event -> event.getString("method").equals(method))
                    .map(event -> event.getConfig("params"))
                    .toList();
        }

        /**
         * Calls a method of the protocol and returns its result.
         *
         * @param parameters a JSON object
         */
        public Config call(String method, String parameters) {
            int number = ids.incrementAndGet();
            CompletableFuture<Config> answer = new CompletableFuture<>();
            waiting.put(number, answer);
            String message = "{\"id\":" + number + ",\"method\":\"" + method + "\",\"params\":" + parameters + "}";
            // The answer can arrive before the socket has registered that sending has ended, and thus before it allows
            // the next message. Tests that run at the same time share the browser.
            synchronized (socket) {
                socket.sendText(message, true).join();
            }
            try {
                Config whole = answer.get(LIMIT_S, TimeUnit.SECONDS);
                if (!whole.hasPath("result")) {
                    throw new IllegalStateException(method + ": " + whole);
                }
                return whole.getConfig("result");
            } catch (Exception e) {
                throw new IllegalStateException(method, e);
            }
        }

        /** Closes the page. Otherwise, it would continue to send requests and draw until the browser is closed. */
        @Override
        public void close() {
            browser.call("Target.closeTarget", "{\"targetId\":\"" + id + "\"}");
        }

        /** Assembles messages from their parts. */
        private final class Answers implements WebSocket.Listener {
            private final StringBuilder text = new StringBuilder();

            @Override
            public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                text.append(data);
                if (last) {
                    Config message = json(text.toString());
                    text.setLength(0);
                    if (message.hasPath("id")) {
                        waiting.remove(message.getInt("id")).complete(message);
                    } else {
                        events.add(message);
                    }
                }
                from.request(1);
                return null;
            }
        }
    }
}
