package io.rocketbufs.rbmq.test;

import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.ClientOptions;

/**
 * The broker of a test class.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class ClassBroker implements AutoCloseable {
    private final RbmqTest annotation;
    private final RbmqBroker broker;
    private final ClientOptions options;

    /** Starts the broker. */
    ClassBroker(Class<?> testClass, RbmqTest annotation) {
        BrokerTestSettings settings = BrokerTestSettings.of(testClass, annotation);
        this.annotation = annotation;
        this.broker = settings.startBroker();
        this.options = settings.client(broker);
    }

    RbmqBroker broker() {
        return broker;
    }

    /** Returns a new, empty set of clients. */
    TestClients clients(String name) {
        return new TestClients(options.withName(name), new Incidents(annotation));
    }

    @Override
    public void close() {
        broker.close();
    }
}
