package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.web.Chromium;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The admin page in a real browser, with the security policy that the broker sends. Keeps pictures of it. */
@Tag("once")
@Timeout(240)
final class PageSystemTest {
    /** A name of 255 bytes with markup, Hebrew, and an override of the direction of text. */
    private static final String HOSTILE = hostileName();

    private static final Path PICTURES = Path.of("target", "page");
    private static final String EVIL = "<img src=x onerror=alert(1)>";

    @TempDir(cleanup = CleanupMode.NEVER) // Chromium's last processes may still write
    static File profile;

    private static Chromium chromium;

    private RunningBroker running;

    private static String hostileName() {
        String begin = "<script>alert(1)</script>\u05e9\u05dc\u05d5\u05dd\u202egnirts";
        String name = begin + "/x".repeat((255 - begin.getBytes(UTF_8).length) / 2);
        return name + "y".repeat(255 - name.getBytes(UTF_8).length);
    }

    @BeforeAll
    static void startBrowser() throws IOException {
        Files.createDirectories(PICTURES);
        chromium = new Chromium(profile);
    }

    @AfterAll
    static void closeBrowser() {
        chromium.close();
    }

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    @Test
    void shouldNameASubscriberThatStopsUnderLoad() throws Exception {
        String[] small = {
            "rbmq.broker.capacity = 64 KiB", "rbmq.subscriber.capacity = 64 KiB", "rbmq.publisher.capacity = 64 KiB"
        };
        running = new RunningBroker(small);
        RocketBufs own = running.opened(RocketBufs.open(RunningBroker.config(small)));
        Subscriber risk = running.opened(
                Subscriber.connect(own, running.subscriberSettings().withName("risk"), new SubscriberCallback() {}));
        Subscription paused = risk.subscribe("prices/eur", message -> {});
        paused.ready().get(60, TimeUnit.SECONDS);
        Subscriber desk =
                running.subscriber(running.subscriberSettings().withName("desk"), new SubscriberCallback() {});
        // A busy machine may delay this subscriber, but it never delays a publisher.
        desk.subscribe("prices/#", message -> {}, SlowPolicy.SKIP).ready().get(60, TimeUnit.SECONDS);
        TopicPublisher prices =
                running.publisher(running.client().withName("feed")).topic("prices/eur");
        prices.announced().get(60, TimeUnit.SECONDS);
        BrowserPage page = new BrowserPage("/");
        page.await("document.getElementById('in').textContent.endsWith('B/s')", () -> publish(prices));
        page.await("document.querySelector('#traffic canvas') !== null", () -> publish(prices));
        page.await("document.getElementById('slow').textContent === '✓ No subscriber delays a publisher.'", () -> {});
        assertThat(page.text("#state")).isEqualTo("ready");
        page.picture("light-ready", 1280, 900, "light");

        paused.pause();
        page.await("document.querySelector('#slow .open')?.textContent === 'risk'", () -> publish(prices));
        assertThat(page.text("#slow")).contains("delays publishers of prices/eur for", "wait, policy block");
        assertThat(page.value("document.title", String.class)).startsWith("⚠ ");
        page.await(
                "document.querySelector('#topics tr.slow .open')?.textContent === 'prices/eur'", () -> publish(prices));
        page.await(
                "document.querySelector('#clients tbody tr').classList.contains('slow')"
                        + " && document.querySelector('#clients tbody .open').textContent === 'risk'",
                () -> publish(prices));
        page.await("parseFloat(document.getElementById('held').textContent) > 0", () -> publish(prices));

        page.evaluate("document.querySelectorAll('#slow .open')[1].click()");
        page.await("document.querySelector('#topics .details li bdi') !== null", () -> {});
        assertThat(page.text("#topics .details")).contains("feed", "risk", "policy block");
        assertThat(page.value("document.activeElement.textContent", String.class))
                .isEqualTo("prices/eur");
        page.picture("light", 1280, 900, "light");
        page.picture("dark", 1280, 900, "dark");
        page.picture("narrow", 390, 844, "light");
        page.assertFitsInto(390);
        paused.resume();
        page.await("document.querySelector('#slow .none') !== null", () -> {});
        page.assertQuiet();
    }

    @Test
    void shouldShowHostileNamesAsText() throws Exception {
        running = new RunningBroker();
        running.publisher(running.client().withName(EVIL))
                .topic(HOSTILE)
                .announced()
                .get(60, TimeUnit.SECONDS);
        running.publisher().topic("b").announced().get(60, TimeUnit.SECONDS);
        BrowserPage page = new BrowserPage("/");
        page.await("document.querySelectorAll('#topics tbody .open').length === 2", () -> {});
        page.await("document.querySelectorAll('#clients tbody .open').length === 2", () -> {});
        String shown = HOSTILE.replace("\u202e", "\\u202e");
        String named = "[...document.querySelectorAll('#topics .open bdi')].find((b) => b.textContent.startsWith('<'))";
        assertThat(page.value(named + ".textContent", String.class)).isEqualTo(shown);
        assertThat(page.value(named + ".title", String.class)).isEqualTo(shown);
        assertThat(page.value("getComputedStyle(" + named + ").unicodeBidi", String.class))
                .isEqualTo("isolate");
        assertThat(page.text("#clients tbody")).contains(EVIL);
        assertThat(page.value("document.querySelectorAll('main img, main script').length", Integer.class))
                .isZero();
        page.evaluate(named + ".closest('button').click()");
        page.await("document.querySelector('#topics .details dd') !== null", () -> {});
        assertThat(page.text("#topics .details dd")).isEqualTo(shown);
        page.show(390, 844, "dark");
        page.evaluate("document.getElementById('topics').scrollIntoView()");
        page.picture("hostile", 390, 844, "dark");
        page.assertFitsInto(390);

        page.evaluate("const input = document.querySelector('#topics input'); input.value = '#/b';"
                + " input.dispatchEvent(new Event('input'))");
        page.await(
                "document.querySelector('#topics .message').textContent.includes('before the last level')", () -> {});
        page.evaluate("document.querySelector('#topics input').value = '<SCRIPT'; void"
                + " document.querySelector('#topics input').dispatchEvent(new Event('input'))");
        page.await("document.querySelector('#topics .count').textContent === '1 of 2'", () -> {});
        page.evaluate("document.querySelector('#topics input').value = 'none such'; void"
                + " document.querySelector('#topics input').dispatchEvent(new Event('input'))");
        page.await("document.querySelector('#topics .empty').textContent.includes('matches none such')", () -> {});
        // The request with a malformed filter is the only one that failed.
        page.assertQuiet("400 (Bad Request)");
    }

    @Test
    void shouldSortByColumns() throws Exception {
        running = new RunningBroker();
        for (String topic : List.of("b", "a", "c")) {
            running.publisher().topic(topic).announced().get(60, TimeUnit.SECONDS);
        }
        running.subscriber().subscribe("c", message -> {}).ready().get(60, TimeUnit.SECONDS);
        BrowserPage page = new BrowserPage("/");
        page.awaitOrder("a,b,c");
        page.evaluate(
                "[...document.querySelectorAll('#topics thead button')].find((b) => b.textContent === 'Sub').click()");
        page.awaitOrder("c,a,b");
        String sorted = "[...document.querySelectorAll('#topics [aria-sort]')].map((th) => th.textContent"
                + " + ' ' + th.getAttribute('aria-sort')).join()";
        assertThat(page.value(sorted, String.class)).isEqualTo("Sub descending");
        page.evaluate("document.querySelector('#topics thead button').click()");
        page.awaitOrder("a,b,c");
        assertThat(page.value(sorted, String.class)).isEqualTo("Topic ascending");
        page.assertQuiet();
    }

    @Test
    void shouldSaySinceWhenTheBrokerIsNotReachableAndRecover() throws Exception {
        running = new RunningBroker();
        int port = running.broker().adminAddress().getPort();
        BrowserPage page = new BrowserPage("/");
        page.await("document.getElementById('state').textContent === 'ready'", () -> {});
        assertThat(page.text("#topics .empty")).contains("There is no topic yet.", "rbmq pub");
        assertThat(page.text("#clients .empty")).contains("No client is connected.", "rbmq sub");
        page.picture("empty", 1280, 900, "dark");
        running.close();
        page.await(
                "/^not reachable since \\d\\d:\\d\\d:\\d\\d$/.test(document.getElementById('state').textContent)",
                () -> {});
        running = new RunningBroker("rbmq.admin.port = " + port);
        page.await("document.getElementById('state').textContent === 'ready'", () -> {});
        page.assertQuiet("net::ERR_");
    }

    @Test
    void shouldRequestNothingWhileThePageIsHidden() throws Exception {
        running = new RunningBroker();
        BrowserPage page = new BrowserPage("/");
        page.await("document.getElementById('state').textContent === 'ready'", () -> {});
        page.evaluate("Object.defineProperty(document, 'hidden', {configurable: true, get: () => true})");
        // Requests that were in flight end, and no poll starts another one.
        await().pollInterval(Duration.ofMillis(1200)).until(() -> {
            int before = page.requestCount();
            page.evaluate("new Promise((done) => setTimeout(done, 1100))");
            return page.requestCount() == before;
        });
        int before = page.requestCount();
        page.evaluate("delete document.hidden; void document.dispatchEvent(new Event('visibilitychange'))");
        await().until(() -> page.requestCount() > before);
    }

    @Test
    void shouldLetAnAdministratorSignInWithUserAndToken() throws Exception {
        String users = "rbmq.users = [{name = ops, token = ops-token, admin = true}";
        running = new RunningBroker("rbmq.admin.address = 0.0.0.0", users + "]");
        BrowserPage page = new BrowserPage("ops:ops-token@", "/");
        page.await("document.getElementById('state').textContent === 'ready'", () -> {});
        page.assertQuiet();
        running.reload("rbmq.admin.address = 0.0.0.0", users.replace("true", "false") + "]");
        page.await("document.getElementById('state').textContent.includes('is not an administrator')", () -> {});
        assertThat(page.text("#state a")).isEqualTo("Sign in");
    }

    private static void publish(TopicPublisher topic) {
        for (int i = 0; i < 20; i++) {
            if (topic.tryPublish(new byte[1000]) != PublishResult.PUBLISHED) {
                return;
            }
        }
    }

    /** The admin page of the running broker in a tab of the browser, whose requests and messages are recorded. */
    private final class BrowserPage {
        private final String authority;
        private final Chromium.Tab tab;

        BrowserPage(String path) {
            this("", path);
        }

        BrowserPage(String credentials, String path) {
            authority = "127.0.0.1:" + running.broker().adminAddress().getPort();
            tab = chromium.open(URI.create("about:blank"));
            for (String domain : List.of("Network", "Log", "Runtime", "Page")) {
                tab.call(domain + ".enable", "{}");
            }
            show(1280, 900, "light");
            tab.call("Page.navigate", "{\"url\":\"http://" + credentials + authority + path + "\"}");
        }

        void show(int width, int height, String scheme) {
            tab.call(
                    "Emulation.setDeviceMetricsOverride",
                    "{\"width\":" + width + ",\"height\":" + height + ",\"deviceScaleFactor\":1,\"mobile\":"
                            + (width < 500) + "}");
            tab.call(
                    "Emulation.setEmulatedMedia",
                    "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"" + scheme + "\"}]}");
        }

        void picture(String name, int width, int height, String scheme) throws IOException {
            show(width, height, scheme);
            // The browser has drawn the page when two frames have begun.
            evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
            Files.write(PICTURES.resolve(name + ".png"), tab.screenshot());
        }

        Config evaluate(String expression) {
            Config answer = tab.evaluate(expression);
            assertThat(answer.hasPath("exceptionDetails"))
                    .as(expression + ": " + answer)
                    .isFalse();
            return answer;
        }

        <T> T value(String expression, Class<T> type) {
            evaluate(expression);
            return tab.value(expression, type);
        }

        String text(String selector) {
            return value("document.querySelector('" + selector + "').textContent", String.class);
        }

        /** Waits until an expression is true, and does something before each attempt. */
        void await(String expression, Runnable meanwhile) {
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

        void awaitOrder(String topics) {
            await(
                    "[...document.querySelectorAll('#topics tbody .open')].map((b) => b.textContent).join() === '"
                            + topics + "'",
                    () -> {});
        }

        int requestCount() {
            return tab.events("Network.requestWillBeSent").size();
        }

        /** Checks that the page does not scroll sideways at its current width. */
        void assertFitsInto(int width) {
            assertThat(value("document.documentElement.scrollWidth", Integer.class))
                    .isLessThanOrEqualTo(width);
        }

        /** Checks that the browser has reported nothing but the allowed messages, and no request to another host. */
        void assertQuiet(String... allowed) {
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
    }
}
