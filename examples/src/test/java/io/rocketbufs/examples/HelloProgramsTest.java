package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.broker.Broker;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Subscriber;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class HelloProgramsTest {
    private static final String SMALL_BUFFERS = "rbmq.broker.capacity=64KiB,rbmq.subscriber.capacity=64KiB";
    private static final Pattern RESULT = Pattern.compile("published (\\d+) dropped (\\d+)");

    @Test
    void shouldSayHelloThroughABroker() throws Exception {
        try (RocketBufs rocketBufs = RocketBufs.open(config());
                Broker broker = Broker.open(rocketBufs, BrokerSettings.from(config()))) {
            String address = property(broker);
            try (RunningExample subscriber = RunningExample.start(address, "HelloSubscriber");
                    RunningExample publisher = helloAfter(subscriber, address, "HelloPublisher")) {
                assertThat(publisher.next()).isEqualTo("PUBLISHED");
                assertThat(publisher.awaitEnd()).isZero();
                assertThat(subscriber.next()).isEqualTo("Hello, world");
                subscriber.interrupt();
            }
        }
    }

    @Test
    void shouldSayHelloOverRdmaWithOnlyAConfigurationFile() throws Exception {
        Rdma.assume();
        Config config = config("rocketbufs.transport=rdma," + Rdma.PROVIDER);
        try (RocketBufs rocketBufs = RocketBufs.open(config);
                Broker broker = Broker.open(rocketBufs, BrokerSettings.from(config))) {
            String file = "-Dconfig.file=../conf/rdma-rdma.conf";
            String provider = "-D" + Rdma.PROVIDER;
            String address = property(broker);
            try (RunningExample subscriber = RunningExample.start(file, provider, address, "HelloSubscriber");
                    RunningExample publisher = helloAfter(subscriber, file, provider, address, "HelloPublisher")) {
                assertThat(publisher.next()).isEqualTo("PUBLISHED");
                assertThat(subscriber.next()).isEqualTo("Hello, world");
                assertThat(publisher.awaitEnd()).isZero();
            }
        }
    }

    @Test
    void shouldReportThatTheBrokerHasClosedTheConnectionIfReconnectingIsOff() throws Exception {
        try (RocketBufs rocketBufs = RocketBufs.open(config())) {
            Broker broker = Broker.open(rocketBufs, BrokerSettings.from(config()));
            String once = "-Drbmq.client.reconnect.enabled=off";
            try (RunningExample subscriber = RunningExample.start(property(broker), once, "HelloSubscriber")) {
                subscriber.await("subscribed to greetings");
                broker.close();
                assertThat(subscriber.next()).startsWith("HelloSubscriber: ").contains("closed the connection");
                assertThat(subscriber.awaitEnd()).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldDropNumbersWhileASubscriberLagsBehindButStillSendTheEnd() throws Exception {
        Config config = config(SMALL_BUFFERS);
        List<Long> received = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Void> ended = new CompletableFuture<>();
        CountDownLatch dropping = new CountDownLatch(1);
        try (RocketBufs brokers = RocketBufs.open(config);
                Broker broker = Broker.open(brokers, BrokerSettings.from(config));
                RocketBufs subscribers = RocketBufs.open(config);
                Subscriber subscriber = Subscriber.connect(
                        subscribers,
                        ClientSettings.from(config)
                                .withBroker(broker.addresses().get(0)))) {
            subscriber
                    .subscribe("numbers", message -> {
                        awaitQuietly(dropping);
                        if (message.length() == 0) {
                            ended.complete(null);
                        } else {
                            received.add(message.getLong(0));
                        }
                    })
                    .ready()
                    .join();
            try (RunningExample publisher = RunningExample.start(
                    "-Drbmq.publisher.capacity=64KiB", "FeedPublisher", "100000", address(broker))) {
                publisher.await("no space: dropping numbers");
                dropping.countDown();
                Matcher result = RESULT.matcher(publisher.next());
                assertThat(result.matches()).isTrue();
                ended.get(10, TimeUnit.SECONDS);
                assertThat(received).isSorted().doesNotHaveDuplicates().hasSize(Integer.parseInt(result.group(1)));
                assertThat(Integer.parseInt(result.group(1)) + Integer.parseInt(result.group(2)))
                        .isEqualTo(100_000);
                publisher.await("the broker has consumed all messages");
                assertThat(publisher.awaitEnd()).isZero();
            }
        }
    }

    private static RunningExample helloAfter(RunningExample subscriber, String... arguments) throws Exception {
        subscriber.await("subscribed to greetings");
        return RunningExample.start(arguments);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the default settings, overridden by free ports and the given settings. */
    private static Config config(String... settings) {
        return ConfigFactory.parseString("rbmq.port=0,rbmq.admin.enabled=false," + String.join(",", settings))
                .withFallback(ConfigFactory.load())
                .resolve();
    }

    private static String property(Broker broker) {
        return "-Drbmq.client.broker=" + address(broker);
    }

    private static String address(Broker broker) {
        InetSocketAddress address = broker.addresses().get(0);
        return address.getHostString() + ":" + address.getPort();
    }
}
