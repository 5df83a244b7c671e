package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.web.BrowserPage;
import io.rocketbufs.web.Chromium;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the admin page in a real browser, with the security policy that the broker sends. They also save
 * screenshots.
 */
@Tag("once")
@Timeout(600)
final class PageSystemTest {
    /** Withholds the responses to the page's status requests until {@code window.release()} is called. */
    private static final String HOLD_ANSWERS_OF_STATUS = """
            void (() => {
              const send = window.fetch;
              const released = new Promise((release) => { window.release = release; });
              window.fetch = async (url, options) => {
                const response = await send(url, options);
                if (!url.pathname.endsWith('status') || !response.ok) {
                  return response;
                }
                const answer = await response.json();
                window.held = true;
                await released;
                window.shown = true;
                return { ok: true, json: async () => answer };
              };
            })()
            """;

    /** Records the first line in which the page names a subscriber that delays a publisher. */
    private static final String RECORD_NAMING = """
            void (() => {
              window.firstLine = null;
              const slow = document.getElementById('slow');
              const observer = new MutationObserver(() => {
                if (slow.querySelector('.open') !== null) {
                  window.firstLine = slow.textContent;
                  observer.disconnect();
                }
              });
              observer.observe(slow, { childList: true, subtree: true });
            })()
            """;

    /** The duration of the delay in a line that names a subscriber, by the broker's clock. */
    private static final Pattern DELAY = Pattern.compile(" for ([\\d.]+) (m?s): ");

    /** Maximum time after which the page names a subscriber that delays a publisher, in milliseconds. */
    private static final double LONGEST_NAMING_MS = 2000;

    /** Number of attempts to stay below that time, because a busy machine delays the requests of the page. */
    private static final int MAX_NAMINGS = 20;

    private static final String HOLD_FIRST_REFUSAL = """
            void (() => {
              const send = window.fetch;
              const released = new Promise((release) => { window.release = release; });
              window.fetch = async (url, options) => {
                const response = await send(url, options);
                if (response.ok || window.isHeld) {
                  return response;
                }
                window.isHeld = true;
                const text = await response.text();
                await released;
                return { ok: false, status: response.status, text: async () => text };
              };
            })()
            """;

    /** A name of 255 bytes with markup, Hebrew, and an override of the text direction. */
    private static final String HOSTILE = hostileName();

    private static final Path PICTURES = Path.of("target", "page");
    private static final String EVIL = "<img src=x onerror=alert(1)>";

    @TempDir(cleanup = CleanupMode.NEVER) // remaining Chromium processes may still be writing to the directory
    static File profile;

    private static Chromium chromium;

    private final List<BrowserPage> pages = new ArrayList<>();
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
        pages.forEach(BrowserPage::close);
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
        BrowserPage page = open("");
        page.await("document.getElementById('in').textContent.endsWith('B/s')", () -> publish(prices));
        page.await("document.querySelector('#traffic canvas') !== null", () -> publish(prices));
        page.await(
                "document.getElementById('slow').textContent === '✓ No subscriber is delaying a publisher.'", () -> {});
        assertThat(page.text("#state")).isEqualTo("ready");
        page.picture("light-ready", 1280, 900, "light");

        assertThat(shortestNaming(page, paused, prices)).isLessThan(LONGEST_NAMING_MS);
        page.await("document.querySelector('#slow .open')?.textContent === 'risk'", () -> publish(prices));
        assertThat(page.text("#slow"))
                .contains("has been delaying publishers of prices/eur for", "waiting, policy block");
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

    /**
     * Stops a subscription until the page names its subscriber within {@link #LONGEST_NAMING_MS}, and leaves it
     * stopped. Prints and returns the time after which the page has named it, in milliseconds. The time begins when the
     * subscription starts to delay the publisher and ends with the response that names the subscriber, both by the
     * broker's clock.
     */
    private static double shortestNaming(BrowserPage page, Subscription subscription, TopicPublisher topic) {
        double timeMs = naming(page, subscription, topic);
        for (int i = 1; i < MAX_NAMINGS && timeMs >= LONGEST_NAMING_MS; i++) {
            subscription.resume();
            page.await("document.querySelector('#slow .none') !== null", () -> {});
            timeMs = naming(page, subscription, topic);
        }
        return timeMs;
    }

    private static double naming(BrowserPage page, Subscription subscription, TopicPublisher topic) {
        page.evaluate(RECORD_NAMING);
        subscription.pause();
        page.await("window.firstLine !== null", () -> publish(topic));
        String line = page.value("window.firstLine", String.class);
        Matcher delay = DELAY.matcher(line);
        double timeMs = delay.find()
                ? Double.parseDouble(delay.group(1)) * (delay.group(2).equals("s") ? 1000 : 1)
                : Double.POSITIVE_INFINITY;
        System.out.printf("the page has named a subscriber that had delayed a publisher for %.0f ms%n", timeMs);
        return timeMs;
    }

    @Test
    void shouldShowHostileNamesAsText() throws Exception {
        running = new RunningBroker();
        running.publisher(running.client().withName(EVIL))
                .topic(HOSTILE)
                .announced()
                .get(60, TimeUnit.SECONDS);
        running.publisher().topic("b").announced().get(60, TimeUnit.SECONDS);
        BrowserPage page = open("");
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
        // Only the request with a malformed filter has failed.
        page.assertQuiet("400 (Bad Request)");
    }

    @Test
    void shouldSortByColumns() throws Exception {
        running = new RunningBroker();
        for (String topic : List.of("b", "a", "c")) {
            running.publisher().topic(topic).announced().get(60, TimeUnit.SECONDS);
        }
        running.subscriber().subscribe("c", message -> {}).ready().get(60, TimeUnit.SECONDS);
        BrowserPage page = open("");
        awaitOrder(page, "a,b,c");
        page.evaluate(
                "[...document.querySelectorAll('#topics thead button')].find((b) => b.textContent === 'Sub').click()");
        awaitOrder(page, "c,a,b");
        String sorted = "[...document.querySelectorAll('#topics [aria-sort]')].map((th) => th.textContent"
                + " + ' ' + th.getAttribute('aria-sort')).join()";
        assertThat(page.value(sorted, String.class)).isEqualTo("Sub descending");
        page.evaluate("document.querySelector('#topics thead button').click()");
        awaitOrder(page, "a,b,c");
        assertThat(page.value(sorted, String.class)).isEqualTo("Topic ascending");
        page.assertQuiet();
    }

    @Test
    void shouldNotMoveRowsAwayFromThePointer() throws Exception {
        running = new RunningBroker();
        for (String topic : List.of("a", "b", "c")) {
            running.publisher().topic(topic).announced().get(60, TimeUnit.SECONDS);
        }
        BrowserPage page = open("");
        awaitOrder(page, "a,b,c");
        page.evaluate(
                "[...document.querySelectorAll('#topics thead button')].find((b) => b.textContent === 'Sub').click()");
        page.evaluate("document.querySelector('#topics tbody .open').focus()");
        String subscribersOfC = "[...document.querySelectorAll('#topics tbody tr')]"
                + ".find((r) => r.cells[0].textContent === 'c').cells[4].textContent";
        page.point("#topics tbody td");
        running.subscriber().subscribe("c", message -> {}).ready().get(60, TimeUnit.SECONDS);
        // The pointer keeps moving, like that of a user aiming at a row.
        page.await(subscribersOfC + " === '1'", () -> page.point("#topics tbody tr:nth-child(2) td"));
        awaitOrder(page, "a,b,c");
        page.point("#topics h2");
        awaitOrder(page, "c,a,b");
        assertThat(page.value("document.activeElement.textContent", String.class))
                .isEqualTo("a");
        page.assertQuiet();
    }

    @Test
    void shouldShowAGapWhereSamplesAreMissing() {
        running = new RunningBroker();
        BrowserPage page = open("");
        page.await("document.querySelector('#traffic canvas') !== null", () -> {});
        String holes = "import('/web/charts.js').then((charts) => JSON.stringify("
                + "charts.withHoles([-100, -98, -40, -38], [1, 2, 3, 4])))";
        assertThat(page.value(holes, String.class)).isEqualTo("[1,2,null,3,4]");
    }

    @Test
    void shouldSaySinceWhenTheBrokerIsNotReachableAndRecover() throws Exception {
        running = new RunningBroker();
        int port = running.broker().adminAddress().getPort();
        BrowserPage page = open("");
        page.await("document.getElementById('state').textContent === 'ready'", () -> {});
        assertThat(page.text("#topics .empty")).contains("There are no topics yet.", "rbmq pub");
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
        BrowserPage page = open("");
        page.await("document.getElementById('state').textContent === 'ready'", () -> {});
        page.evaluate("Object.defineProperty(document, 'hidden', {configurable: true, get: () => true})");
        // Requests in flight end, and no poll starts another request.
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
        BrowserPage page = open("ops:ops-token@");
        page.await("document.getElementById('state').textContent === 'ready'", () -> {});
        page.assertQuiet();
        running.reload("rbmq.admin.address = 0.0.0.0", users.replace("true", "false") + "]");
        page.await("document.getElementById('state').textContent.includes('is not an administrator')", () -> {});
        assertThat(page.text("#state a")).isEqualTo("Sign in");
    }

    @Test
    void shouldNotHideARefusalBehindAnOlderAnswer() throws Exception {
        String users = "rbmq.users = [{name = ops, token = ops-token, admin = true}";
        running = new RunningBroker("rbmq.admin.address = 0.0.0.0", users + "]");
        BrowserPage page = open("ops:ops-token@");
        page.await("document.getElementById('state').textContent === 'ready'", () -> {});
        page.evaluate(HOLD_ANSWERS_OF_STATUS);
        page.await("window.held === true", () -> {});
        running.reload("rbmq.admin.address = 0.0.0.0", users.replace("true", "false") + "]");
        page.await("document.getElementById('state').textContent.includes('is not an administrator')", () -> {});
        page.evaluate("window.release()");
        page.await("window.shown === true", () -> {});
        assertThat(page.text("#state")).contains("is not an administrator");
    }

    /** After the first refusal, the browser drops the token, so later requests are refused for a different reason. */
    @Test
    void shouldShowTheReasonOfTheFirstRefusalAlsoIfALaterOneIsReadBefore() throws Exception {
        String users = "rbmq.users = [{name = ops, token = ops-token, admin = true}";
        running = new RunningBroker("rbmq.admin.address = 0.0.0.0", users + "]");
        BrowserPage page = open("ops:ops-token@");
        page.await("document.getElementById('state').textContent === 'ready'", () -> {});
        page.evaluate(HOLD_FIRST_REFUSAL);
        running.reload("rbmq.admin.address = 0.0.0.0", users.replace("true", "false") + "]");
        page.await("window.isHeld === true && document.getElementById('state').className === 'bad'", () -> {});
        page.evaluate("window.release()");
        page.await("document.getElementById('state').textContent.includes('is not an administrator')", () -> {});
        assertThat(page.text("#state a")).isEqualTo("Sign in");
    }

    @Test
    void shouldShowWhyAClientUsesNoBetterTransport(@TempDir Path own, @TempDir Path other) throws Exception {
        String directory = "rocketbufs { transport = auto, shm.directory = \"%s\" }";
        running = new RunningBroker(String.format(directory, own));
        Config config = RunningBroker.config(String.format(directory, other));
        RocketBufs elsewhere = running.opened(RocketBufs.open(config));
        running.opened(
                Publisher.connect(elsewhere, ClientSettings.publisher(config).withBroker(running.address())));
        BrowserPage page = open("");
        page.await("document.querySelector('#clients tbody .open') !== null", () -> {});
        page.evaluate("document.querySelector('#clients tbody .open').click()");
        page.await("document.querySelector('#clients .details dd') !== null", () -> {});
        assertThat(page.text("#clients .details"))
                .contains("transport", "tcp", "no better transport", "not shm: the peer's sockets are in " + own);
        page.assertQuiet();
    }

    private BrowserPage open(String credentials) {
        String address =
                credentials + "127.0.0.1:" + running.broker().adminAddress().getPort();
        BrowserPage page = new BrowserPage(chromium, URI.create("http://" + address + "/"), PICTURES);
        pages.add(page);
        return page;
    }

    private static void awaitOrder(BrowserPage page, String topics) {
        page.await(
                "[...document.querySelectorAll('#topics tbody .open')].map((b) => b.textContent).join() === '" + topics
                        + "'",
                () -> {});
    }

    private static void publish(TopicPublisher topic) {
        for (int i = 0; i < 20; i++) {
            if (topic.tryPublish(new byte[1000]) != PublishResult.PUBLISHED) {
                return;
            }
        }
    }
}
