package io.rocketbufs.rbmq.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rocketnet.TransportException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Runs nested test classes, which Surefire does not find, and checks their outcome. */
@Tag("once")
@Timeout(600)
final class RbmqExtensionTest {
    private static final List<String> ADDRESSES = new CopyOnWriteArrayList<>();
    private static final List<RbmqClient> CLIENTS = new CopyOnWriteArrayList<>();

    @BeforeEach
    void forget() {
        ADDRESSES.clear();
        CLIENTS.clear();
    }

    @Test
    void shouldPassABrokerAndClientsAndCloseThemAfterwards() {
        passed(Greeting.class, 2);
        assertThat(ADDRESSES).hasSize(2).containsOnly(ADDRESSES.get(0));
        assertThat(CLIENTS).hasSize(6).doesNotHaveDuplicates().allSatisfy(client -> {
            assertThat(client.closed()).isCompleted();
            assertThat(client.rocketBufs().memoryInUse()).isZero();
        });
        assertEnded(ADDRESSES.get(0));
    }

    @RbmqTest
    static final class Greeting {
        private final RbmqClient subscriber;

        Greeting(RbmqClient subscriber) {
            this.subscriber = subscriber;
        }

        @BeforeEach
        void remember(RbmqBroker broker, RbmqClient another) {
            ADDRESSES.add(broker.address());
            CLIENTS.addAll(List.of(subscriber, another));
        }

        @Test
        void shouldExchangeAMessage(RbmqClient publisher) throws Exception {
            CLIENTS.add(publisher);
            subscriber.subscribe("t", message -> {}).ready().get(60, TimeUnit.SECONDS);
            publisher.publish("t", "hello");
            await().until(() -> subscriber.receivedCount() == 1);
        }

        @Test
        void shouldNotSeeTheClientsOfTheOtherTest(RbmqClient publisher, RbmqBroker broker) {
            CLIENTS.add(publisher);
            assertThat(CLIENTS).filteredOn(client -> !client.closed().isDone()).hasSize(3);
            await().until(() -> broker.broker().state().subscriberCount() == 0);
        }
    }

    @Test
    void shouldFailATestWhoseHandlerThrew() {
        Throwable failure = failure(Throwing.class);
        assertThat(failure)
                .isInstanceOf(AssertionError.class)
                .hasMessage("an @RbmqTest had an incident:\n"
                        + "- a subscriber to topic \"prices\" failed on a message of publisher 1:"
                        + " java.lang.IllegalStateException: no such currency; if the test expects this, set"
                        + " allowErrors = true");
        assertThat(failure.getSuppressed()).singleElement().asString().contains("no such currency");
    }

    @RbmqTest
    static class Throwing {
        @Test
        void shouldIgnoreAnException(RbmqClient client) throws Exception {
            client.subscribe("prices", message -> {
                        throw new IllegalStateException("no such currency");
                    })
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            client.publish("prices", "1");
            await().until(() -> client.failedCount() == 1);
        }
    }

    @Test
    void shouldFailATestWhoseFilterMatchesTooManyTopics() {
        assertThat(failure(Incomplete.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith(
                        "an @RbmqTest had an incident:\n" + "- a subscription to filter \"prices/#\" is incomplete: ")
                .hasMessageContaining("topic \"prices/EUR\" exceeds rbmq.broker.topics-per-filter=1")
                .hasMessageEndingWith("; if the test expects this, set allowErrors = true");
    }

    @RbmqTest("rbmq.broker.topics-per-filter = 1")
    static final class Incomplete {
        @Test
        void shouldReceiveOnlyOneTopic(RbmqClient client) throws Exception {
            Subscription prices = client.subscribe("prices/#", message -> {});
            prices.ready().get(60, TimeUnit.SECONDS);
            client.publish("prices/USD", "1");
            client.topic("prices/EUR").announced().get(60, TimeUnit.SECONDS);
            // The broker answers this request after it has reported the omitted topic.
            client.subscribe("marker", message -> {}).ready().get(60, TimeUnit.SECONDS);
            await().until(() -> prices.receivedCount() == 1);
        }
    }

    @Test
    void shouldDescribeOnlySomeOfManyExceptions() {
        assertThat(failure(ThrowingOften.class))
                .hasMessageStartingWith("an @RbmqTest had 1000 incidents:\n- ")
                .hasMessageEndingWith("\n- and 990 more")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(10));
    }

    @RbmqTest
    static final class ThrowingOften {
        @Test
        void shouldIgnoreManyExceptions(RbmqClient client) throws Exception {
            client.subscribe("prices", message -> {
                        throw new IllegalStateException();
                    })
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            for (int i = 0; i < 1000; i++) {
                client.publish("prices", "1");
            }
            await().until(() -> client.failedCount() == 1000);
        }
    }

    @RbmqTest(allowErrors = true)
    static final class ThrowingAsExpected extends Throwing {}

    @Test
    void shouldFailATestThatLostMessages() {
        assertThat(failure(Losing.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a subscriber to topic \"t\" lost ")
                .hasMessageContaining("set allowGaps = true");
    }

    @Test
    void shouldAcceptLossesAndErrorsThatTheTestExpects() {
        passed(LosingAsExpected.class, 1);
        passed(ThrowingAsExpected.class, 1);
    }

    @RbmqTest({"rbmq.broker.capacity = 1000", "rbmq.subscriber.capacity = 1000, rbmq.publisher.capacity = 1000"})
    static class Losing {
        @Test
        void shouldBeTooSlow(RbmqClient subscriber, RbmqClient publisher) throws Exception {
            CountDownLatch release = new CountDownLatch(1);
            subscriber
                    .subscribe("t", message -> awaitQuietly(release), SlowPolicy.SKIP)
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            for (int i = 0; i < 100; i++) {
                publisher.publish("t", new byte[100]);
            }
            release.countDown();
            await().until(() -> subscriber.lostLength() > 0);
        }

        private static void awaitQuietly(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @RbmqTest(
            value = {"rbmq.broker.capacity = 1000", "rbmq.subscriber.capacity = 1000, rbmq.publisher.capacity = 1000"},
            allowGaps = true)
    static final class LosingAsExpected extends Losing {}

    @Test
    void shouldAddIncidentsToTheFailureOfTheTestItself() {
        assertThat(failure(FailingTwice.class))
                .hasMessage("the test's own failure")
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .singleElement()
                        .asString()
                        .contains("no such currency"));
    }

    @RbmqTest
    static final class FailingTwice {
        @Test
        void shouldFail(RbmqClient client) throws Exception {
            new Throwing().shouldIgnoreAnException(client);
            throw new AssertionError("the test's own failure");
        }
    }

    @Test
    void shouldShareTheBrokerAndTheClientOfAClassWithNestedClasses() {
        EngineExecutionResults results = run(Sharing.class);
        results.testEvents()
                .assertStatistics(
                        statistics -> statistics.started(3).succeeded(2).failed(1));
        Event failed = results.testEvents().failed().stream().findFirst().orElseThrow();
        assertThat(failed.getTestDescriptor().getDisplayName()).startsWith("shouldFailAlone");
        results.containerEvents().assertStatistics(statistics -> statistics.failed(0));
        assertThat(ADDRESSES).hasSize(3).containsOnly(ADDRESSES.get(0));
        assertThat(CLIENTS)
                .hasSize(1)
                .allSatisfy(client -> assertThat(client.closed()).isCompleted());
        assertEnded(ADDRESSES.get(0));
    }

    @RbmqTest
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static final class Sharing {
        private static RbmqClient shared;

        @BeforeAll
        static void subscribe(RbmqClient client) throws Exception {
            shared = client;
            CLIENTS.add(client);
            client.subscribe("prices", message -> {
                        throw new IllegalStateException("no such currency");
                    })
                    .ready()
                    .get(60, TimeUnit.SECONDS);
        }

        @AfterEach
        void check(RbmqBroker broker) {
            ADDRESSES.add(broker.address());
            assertThat(shared.closed()).isNotDone();
        }

        @Test
        @Order(1)
        void shouldFailAlone() {
            shared.publish("prices", "1");
            await().until(() -> shared.failedCount() == 1);
        }

        @Test
        @Order(2)
        void shouldPass() {
            shared.publish("other", "1");
        }

        @Nested
        final class InIt {
            @Test
            void shouldPass(RbmqBroker broker) {
                assertThat(broker.broker().state().subscriberCount()).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldSupportOneInstanceForAllTests() {
        passed(OneInstance.class, 2);
        assertThat(CLIENTS).hasSize(2).containsOnly(CLIENTS.get(0));
        assertThat(CLIENTS.get(0).closed()).isCompleted();
    }

    @RbmqTest
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static final class OneInstance {
        private final RbmqClient client;

        OneInstance(RbmqClient client) {
            this.client = client;
        }

        @Test
        void shouldPublish() {
            CLIENTS.add(client);
            client.publish("t", "1");
        }

        @Test
        void shouldPublishAgain() {
            shouldPublish();
        }
    }

    @Test
    void shouldPassOptionsForClientsWithOtherSettings() {
        passed(OwnClients.class, 1);
    }

    @RbmqTest("rbmq.credentials = [s3cret], rbmq.client.token = s3cret")
    static final class OwnClients {
        @Test
        void shouldConnect(ClientOptions options) {
            assertThat(options.publisher().name()).isEqualTo("OwnClients.shouldConnect");
            try (RbmqClient client = RbmqClient.connect(options.withCapacities(1000, 1000))) {
                assertThat(client.topic("t").longestMessage()).isEqualTo(996);
            }
            try (RbmqClient stranger = RbmqClient.connect(options.withToken(""))) {
                assertThatThrownBy(stranger::publisher).hasMessageContaining("a token is required");
            }
        }
    }

    @Test
    void shouldReplaceTheBrokerOfAnEnclosingClassByThatOfTheNestedClass() {
        passed(Enclosing.class, 2);
        assertThat(ADDRESSES).hasSize(2).doesNotHaveDuplicates().allSatisfy(RbmqExtensionTest::assertEnded);
    }

    @RbmqTest
    static final class Enclosing {
        @Test
        void shouldUseTheOuterBroker(RbmqBroker broker) {
            ADDRESSES.add(broker.address());
        }

        @Nested
        @RbmqTest("rbmq.credentials = [s3cret], rbmq.client.token = s3cret")
        final class Guarded {
            @Test
            void shouldUseTheInnerBroker(RbmqBroker broker, RbmqClient client) {
                ADDRESSES.add(broker.address());
                client.publish("t", "1");
            }
        }
    }

    @Test
    void shouldNameTheClassWithAnInvalidSetting() {
        assertThat(failure(Misconfigured.class))
                .hasStackTraceContaining("@RbmqTest of " + Misconfigured.class.getName() + ": 1")
                .hasStackTraceContaining("rbmq.broker.slow-policy: \"wait\" is not one of block, disconnect, skip");
    }

    @RbmqTest("rbmq.broker.slow-policy = wait")
    static final class Misconfigured {
        @Test
        void shouldNotStart(RbmqClient client) {}
    }

    @Test
    void shouldAllowATestToCloseTheBroker() {
        passed(Closing.class, 1);
    }

    @RbmqTest
    static final class Closing {
        @Test
        void shouldLoseTheBroker(RbmqBroker broker, RbmqClient client) {
            client.publish("t", "1");
            broker.close();
            await().until(() -> !client.publisher().isConnected());
        }
    }

    private static void assertEnded(String address) {
        try (RbmqClient late = RbmqClient.connect(address)) {
            assertThatThrownBy(late::publisher)
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.NO_LISTENER));
        }
    }

    private static EngineExecutionResults run(Class<?> testClass) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .execute();
    }

    private static void passed(Class<?> testClass, int count) {
        EngineExecutionResults results = run(testClass);
        results.allEvents().assertStatistics(statistics -> statistics.failed(0));
        results.testEvents().assertStatistics(statistics -> statistics.succeeded(count));
    }

    /** Runs a class with one test that must fail, and returns its failure. */
    private static Throwable failure(Class<?> testClass) {
        EngineExecutionResults results = run(testClass);
        results.testEvents()
                .assertStatistics(statistics -> statistics.started(1).failed(1));
        return results.testEvents().failed().stream()
                .findFirst()
                .flatMap(event -> event.getPayload(TestExecutionResult.class))
                .flatMap(TestExecutionResult::getThrowable)
                .orElseThrow();
    }
}
