package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.ReceivedMessage;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.IMethodInterceptor;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;
import org.testng.annotations.AfterClass;

/**
 * A run of the Reactive Streams Technology Compatibility Kit, which is written for TestNG, with flows of a real broker.
 */
@Tag("once")
@Timeout(600)
final class FlowTckTest {
    /** Timeout that is longer than any pause of a busy machine. */
    private static final long TIMEOUT_MS = 60_000;

    /** Time for which the kit waits for signals that must not arrive. */
    private static final long NO_SIGNAL_MS = 30;

    /** Maximum number of messages in a flow, which is more than any test needs. */
    private static final int MOST = 50;

    /**
     * The prefixes of the names of tests that are omitted. The tests of rule 1.11 use several consumers of one flow,
     * but here each consumer receives its own copies, starting when it subscribes. FlowSystemTest covers rules 3.9 and
     * 3.13 without time limits. The kit waits for an error only as long as for signals that must not arrive, and allows
     * the garbage collector only 100 ms.
     */
    private static final List<String> LEFT_OUT = List.of(
            "optional_spec111_multicast",
            "optional_spec111_registered",
            "optional_spec309_request",
            "required_spec309_request",
            "required_spec313_");

    @Test
    void shouldFollowTheRulesOfReactiveStreams() {
        TestListenerAdapter results = new TestListenerAdapter();
        TestNG kit = new TestNG(false);
        kit.setVerbose(0);
        kit.setTestClasses(new Class<?>[] {OnTheWorker.class, OnAnExecutor.class});
        kit.addListener(results);
        IMethodInterceptor selection = (methods, context) -> methods.stream()
                .filter(method -> LEFT_OUT.stream().noneMatch(method.getMethod().getMethodName()::startsWith))
                .toList();
        kit.addListener(selection);
        kit.run();
        assertThat(results.getFailedTests().stream().map(FlowTckTest::describe)).isEmpty();
        assertThat(results.getConfigurationFailures()).isEmpty();
        Set<String> skipped = names(results.getSkippedTests());
        skipped.removeAll(names(results.getPassedTests()));
        assertThat(skipped).allMatch(name -> name.startsWith("untested_"));
        assertThat(results.getPassedTests()).hasSizeGreaterThan(30);
    }

    private static String describe(ITestResult failed) {
        return failed.getTestClass().getName() + " " + failed.getName() + ": " + failed.getThrowable();
    }

    private static Set<String> names(List<ITestResult> results) {
        Set<String> names = new HashSet<>();
        results.forEach(result -> names.add(result.getName()));
        return names;
    }

    /** The kit with signals on the worker. A flow completes when its subscriber is closed after the last message. */
    public static final class OnTheWorker extends Verification {
        @Override
        Subscriber subscriber() {
            return running.subscriber();
        }

        @Override
        SubscriptionOptions options() {
            return SubscriptionOptions.DEFAULTS;
        }

        @Override
        public long maxElementsFromPublisher() {
            return MOST;
        }

        @Override
        void onFed(Subscriber subscriber) {
            subscriber.close();
        }
    }

    /** The kit with signals on an executor. No flow completes. */
    public static final class OnAnExecutor extends Verification {
        private final Subscriber shared = running.subscriber();

        @Override
        Subscriber subscriber() {
            return shared;
        }

        @Override
        SubscriptionOptions options() {
            return SubscriptionOptions.DEFAULTS.withExecutor(task -> new Thread(task).start());
        }

        @Override
        public long maxElementsFromPublisher() {
            return publisherUnableToSignalOnComplete();
        }

        @Override
        void onFed(Subscriber subscriber) {}
    }

    /**
     * The common part of both runs. Each flow has its own topic, to which messages are published as soon as it has a
     * subscriber.
     */
    abstract static class Verification extends FlowPublisherVerification<ReceivedMessage> {
        final RunningBroker running = new RunningBroker();
        private final ExecutorService feeders = Executors.newCachedThreadPool();
        private final Map<String, Runnable> feeds = new ConcurrentHashMap<>();
        private final Publisher publisher = running.publisher(running.publisherSettings(), new PublisherCallback() {
            @Override
            public void onInterest(String topic, boolean hasSubscribers) {
                if (hasSubscribers) {
                    feeders.execute(feeds.get(topic));
                }
            }
        });

        Verification() {
            super(new TestEnvironment(TIMEOUT_MS, NO_SIGNAL_MS, NO_SIGNAL_MS));
        }

        /** Returns the subscriber of the next flow. */
        abstract Subscriber subscriber();

        abstract SubscriptionOptions options();

        /** Called when the flow has received all messages. */
        abstract void onFed(Subscriber subscriber);

        @Override
        public Flow.Publisher<ReceivedMessage> createFlowPublisher(long elements) {
            String topic = "tck/" + feeds.size();
            Subscriber subscriber = subscriber();
            feeds.put(topic, () -> feed(topic, subscriber, (int) Math.min(elements, MOST)));
            publisher.topic(topic).announced().join();
            return subscriber.flow(topic, options());
        }

        private void feed(String topic, Subscriber subscriber, int count) {
            AtomicInteger left = new AtomicInteger(count);
            // This subscription shares the buffer of the flow's subscription, so it is ready only once the flow
            // receives messages. The flow's subscription receives each message first, because it is older.
            subscriber
                    .subscribe(topic, message -> {
                        if (left.decrementAndGet() == 0) {
                            onFed(subscriber);
                        }
                    })
                    .ready()
                    .join();
            if (count == 0) {
                onFed(subscriber);
            }
            for (int i = 0; i < count; i++) {
                publisher.publish(topic, new byte[10]);
            }
        }

        @Override
        public Flow.Publisher<ReceivedMessage> createFailedFlowPublisher() {
            Subscriber closed = running.subscriber();
            closed.close();
            return closed.flow("t", options());
        }

        /** Called by TestNG. */
        @AfterClass
        public void close() {
            feeders.shutdownNow();
            running.close();
        }
    }
}
